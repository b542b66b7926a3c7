import Foundation
import SightlineTestSupport
import Testing

@testable import TensorFlowLite

@Suite(.hangLimit) struct RuntimeTests {
    @Test func searchesTheVariableAloneWhenItIsSet() {
        let search = RuntimeSearch(
            environment: ["SIGHTLINE_LITERT": "/opt/lib/my.so", "HOME": "/home/a"],
            executable: URL(filePath: "/usr/bin/sightline")
        )
        #expect(search.candidates.map(\.path) == ["/opt/lib/my.so"])
    }

    @Test func searchesBesideTheExecutableThenTheUsersFolderThenTheSystem() {
        let search = RuntimeSearch(
            environment: ["HOME": "/home/a", "SIGHTLINE_LITERT": ""],
            executable: URL(filePath: "/app/bin/sightline")
        )
        let name = RuntimeSearch.fileName
        #expect(
            search.candidates.map(\.path) == [
                "/app/bin/\(name)", "/app/lib/sightline/\(name)", "/app/lib/sightline/litert-2.3.0/\(name)",
                "/home/a/.local/share/sightline/litert-2.3.0/\(name)",
                "/usr/local/lib/sightline/litert-2.3.0/\(name)", name,
            ]
        )
    }

    @Test func prefersTheDataFolderThatTheUserNames() {
        let search = RuntimeSearch(environment: ["HOME": "/home/a", "XDG_DATA_HOME": "/data"], executable: nil)
        #expect(search.candidates.first?.path == "/data/sightline/litert-2.3.0/\(RuntimeSearch.fileName)")
    }

    @Test(arguments: ["", "relative/data", "~/data"]) func ignoresADataFolderThatIsNotAbsolute(path: String) {
        let search = RuntimeSearch(environment: ["HOME": "/home/a", "XDG_DATA_HOME": path], executable: nil)
        #expect(search.candidates.first?.path.hasPrefix("/home/a/.local/share/sightline/") == true)
    }

    @Test func throwsWhereTheLibraryIsMissingAndNamesTheCommandOfAPackageUser() {
        let search = RuntimeSearch(environment: ["SIGHTLINE_LITERT": "/nonexistent/libLiteRt.so"], executable: nil)
        let error = #expect(throws: RuntimeError.self) { try RuntimeLibrary.open(search) }
        #expect(error?.description.contains(".build/checkouts/sightline/Scripts/fetch-runtime") == true)
        #expect(error?.description.contains("/nonexistent/libLiteRt.so") == true)
    }

    @Test(.disabled(if: RuntimeSearch.isInstalledForAll, "The library is installed for all users."))
    func aProgramWithoutTheLibraryGetsAnErrorAndGoesOn() async throws {
        let model = TestData.fixture("models/add.tflite").path
        let environment = ["HOME": "/nonexistent", "XDG_DATA_HOME": "", "SIGHTLINE_LITERT": ""]
        let input = Data("\(model)\n\(model)\n".utf8)
        let lines = try await Program("ModelProbe").run([], input: input, environment: environment).lines
        let errors = lines.filter { $0.hasPrefix("error RuntimeError The LiteRT library was not found") }
        #expect(errors.count == 2, "\(lines)")
    }

    /// The probe gives the input shapes that the runtime refuses, and then others. It must not crash.
    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aModelGoesOnAfterShapesThatTheRuntimeRefuses() async throws {
        let model = TestData.real("models/classifiers/mobilenet_v1_0.25_224_float.tflite").path
        let lines = try await Program("ModelProbe").run([], input: Data("\(model)\n".utf8)).lines
        #expect(lines.last?.hasPrefix("ok ") == true, "\(lines)")
    }

    #if os(Linux)
        @Test func namesTheFunctionThatAnotherLibraryLacks() {
            let expected = RuntimeError.missingFunction(path: "libc.so.6", name: "LiteRtCreateEnvironment")
            #expect(throws: expected) { try RuntimeLibrary.open("libc.so.6") }
        }
    #endif

    @Test func tellsTheVersionFromTheFolderOrAFileBesideTheLibrary() throws {
        #expect(Runtime.version(ofLibraryAt: "/usr/local/lib/sightline/litert-2.3.0/libLiteRt.so") == "2.3.0")
        #expect(Runtime.version(ofLibraryAt: "/usr/lib/libLiteRt.so") == "unknown")
        try withTemporaryFolder { folder in
            try Data("2.4.1\n".utf8).write(to: folder.appending(path: "libLiteRt.version"))
            #expect(Runtime.version(ofLibraryAt: folder.appending(path: "libLiteRt.so").path) == "2.4.1")
        }
    }

    @Test func loadsTheLibrary() throws {
        try Runtime.load()
        #expect(!Runtime.version.isEmpty)
    }
}

extension RuntimeSearch {
    /// Whether a program finds the library that knows of no folder of its own.
    fileprivate static var isInstalledForAll: Bool {
        RuntimeSearch(environment: ["HOME": "/nonexistent"], executable: nil).candidates.dropLast().contains(
            where: \.isUsable
        )
    }
}
