import DurableFiles
import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import ModelCatalog

/// Libraries of runtimes that come from the wheels of PyPI.
@Suite(.hangLimit) struct RuntimeInstallationTests {
    private let content = Data("a library".utf8)

    /// The releases for all machines of tests, whose wheel is at an address.
    private func releases(_ wheel: String, wheelHash: String, libraryHash: String) -> [RuntimeRelease] {
        let machines = ["Linux x86_64", "Linux aarch64", "Darwin arm64"]
        let lines = machines.map { "\($0) 1.2.3 platform \(wheelHash) \(libraryHash) \(wheel)" }
        return RuntimeRelease.releases(of: .liteRT, in: lines.joined(separator: "\n"))
    }

    private var wheel: Data {
        // The member has another ending on Apple's systems.
        ZipBuilder(files: ["so", "dylib"].map { .init(name: "ai_edge_litert/libLiteRt.\($0)", content: content) }).data
    }

    private func run(
        wheelHash: String? = nil,
        libraryHash: String? = nil,
        status: Int = 200,
        _ check: (_ installation: RuntimeInstallation, _ requests: () -> Int) throws -> Void
    ) throws {
        let wheel = wheel
        let server = try LoopbackServer { request in
            status == 200 ? .file(wheel, for: request) : LoopbackServer.Response(status: status)
        }
        let releases = releases(
            server.address + "/library.whl",
            wheelHash: wheelHash ?? SHA256.hexadecimalDigest(of: wheel),
            libraryHash: libraryHash ?? SHA256.hexadecimalDigest(of: content)
        )
        try withTemporaryFolder { folder in
            let installation = try RuntimeInstallation(among: releases, environment: ["XDG_DATA_HOME": folder.path])
            try check(installation) { server.requests.count }
        }
    }

    @Test func theLibraryOfAWheelIsInstalledWhereProgramsLookForIt() throws {
        try run { installation, requests in
            #expect(!installation.isComplete)
            try installation.run()
            #expect(installation.isComplete && requests() == 1)
            #expect(try Data(contentsOf: installation.library) == content)
            let folder = installation.library.deletingLastPathComponent()
            #expect(folder.lastPathComponent == "litert-1.2.3")
            let data = folder.deletingLastPathComponent().deletingLastPathComponent()
            let search = RuntimeSearch(
                environment: ["XDG_DATA_HOME": data.path],
                executable: nil,
                version: "1.2.3"
            )
            #expect(search.candidates.contains { $0.path == installation.library.path })
        }
    }

    @Test func anotherWheelOrLibraryIsNotInstalled() throws {
        let other = String(repeating: "0", count: 64)
        for (wheelHash, libraryHash) in [(other, String?.none), (nil, other)] {
            try run(wheelHash: wheelHash, libraryHash: libraryHash) { installation, _ in
                let error = #expect(throws: RuntimeInstallationError.self) { try installation.run() }
                #expect(error?.description.contains("expected \(other); nothing was installed") == true)
                #expect(!FileManager.default.fileExists(atPath: installation.library.path))
            }
        }
    }

    @Test func anErrorOfTheServerNamesTheNextStep() throws {
        try run(status: 404) { installation, _ in
            let error = #expect(throws: RuntimeInstallationError.self) { try installation.run() }
            #expect(error?.description.contains("the server returned status 404") == true)
            #expect(error?.description.contains("SIGHTLINE_LITERT") == true)
        }
    }
}
