import DurableFiles
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
                "/app/bin/\(name)", "/app/bin/litert-2.3.0/\(name)",
                "/app/lib/sightline/\(name)", "/app/lib/sightline/litert-2.3.0/\(name)",
                "/home/a/.local/share/sightline/litert-2.3.0/\(name)",
                "/usr/local/share/sightline/litert-2.3.0/\(name)", "/usr/share/sightline/litert-2.3.0/\(name)",
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

    @Test func searchesTheDataFoldersOfTheSystem() {
        let search = RuntimeSearch(
            environment: ["HOME": "/home/a", "XDG_DATA_DIRS": "/opt/data:relative"],
            executable: nil
        )
        #expect(
            search.candidates.map(\.path) == [
                "/home/a/.local/share/sightline/litert-2.3.0/\(RuntimeSearch.fileName)",
                "/opt/data/sightline/litert-2.3.0/\(RuntimeSearch.fileName)",
                "/usr/local/lib/sightline/litert-2.3.0/\(RuntimeSearch.fileName)", RuntimeSearch.fileName,
            ]
        )
    }

    @Test func aProgramInABuildFolderFindsWhatThePluginInstalledAndNamesItsCommand() throws {
        try withTemporaryFolder { package in
            let executable = package.appending(path: ".build/x86_64-unknown-linux-gnu/debug/app")
            try FileManager.default.createDirectory(
                at: executable.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data().write(to: package.appending(path: "Package.swift"))
            try Data().write(to: package.appending(path: ".build/workspace-state.json"))
            let search = RuntimeSearch(environment: ["HOME": "/home/a"], executable: executable)
            let fetched = ".build/plugins/FetchLiteRT/outputs/litert-2.3.0/\(RuntimeSearch.fileName)"
            #expect(search.candidates.map(\.path).contains(package.appending(path: fetched).path))
            #expect(search.remedy.contains("fetch-litert` in \(package.path) "))
        }
    }

    @Test func aProgramOutsideABuildFolderNamesItsFolder() {
        let search = RuntimeSearch(environment: ["HOME": "/home/a"], executable: URL(filePath: "/app/bin/program"))
        #expect(search.remedy.hasPrefix("put \(RuntimeSearch.fileName) of version 2.3.0 into /app/bin, or "))
    }

    @Test func aProgramBesideTheCommandNamesTheCommandThatInstallsTheLibrary() throws {
        try withTemporaryFolder { folder in
            try Data().write(to: folder.appending(path: "sightline"))
            let search = RuntimeSearch(
                environment: ["HOME": "/home/a"],
                executable: folder.appending(path: "sightline-serve")
            )
            #expect(
                search.remedy.hasPrefix("run `sightline models install --runtime tflite` to install version 2.3.0 ")
            )
        }
    }

    @Test func aReleaseHasHashesAndTheAddressOfItsWheel() {
        #expect(
            RuntimeRelease.all.map { "\($0.system) \($0.machine)" } == [
                "Linux x86_64", "Linux aarch64", "Darwin arm64",
            ]
        )
        for release in RuntimeRelease.all {
            #expect(release.version == RuntimeSearch.version)
            #expect(SHA256.isHexadecimalDigest(release.wheelHash) && SHA256.isHexadecimalDigest(release.libraryHash))
            #expect(
                release.wheel.scheme == "https" && release.wheel.lastPathComponent.hasSuffix("_\(release.machine).whl")
            )
            #expect(release.wheel.lastPathComponent.contains("-\(release.version)-"))
        }
    }

    @Test func takesLinkedFunctionsThenTheAppsFrameworksFirst() {
        let search = RuntimeSearch(
            environment: ["HOME": "/home/a"],
            executable: URL(filePath: "/app/bin/program"),
            frameworks: URL(filePath: "/app/Frameworks"),
            linked: "/app/Frameworks/Other"
        )
        #expect(search.candidates.first == RuntimeSearch.Candidate(path: "/app/Frameworks/Other", isLinked: true))
        #expect(
            search.candidates.dropFirst().prefix(4).map(\.path) == [
                "/app/Frameworks/LiteRt.framework/LiteRt", "/app/Frameworks/CLiteRT.framework/CLiteRT",
                "/app/Frameworks/\(RuntimeSearch.fileName)", "/app/bin/\(RuntimeSearch.fileName)",
            ]
        )
    }

    #if os(Linux)
        /// The loader makes the library's functions those of the process, as linking does.
        @Test func aProgramThatHasTheFunctionsNeedsNoFile() async throws {
            let library = try RuntimeLibrary.shared().path
            try await expectProbeRuns { _ in ["LD_PRELOAD": library] }
        }
    #endif

    @Test func aProgramFindsTheLibraryBesideIt() async throws {
        let library = URL(filePath: try RuntimeLibrary.shared().path)
        try await expectProbeRuns { folder in
            try FileManager.default.copyItem(at: library, to: folder.appending(path: RuntimeSearch.fileName))
            return [:]
        }
    }

    /// Runs the probe outside the build folder, where it finds no library by itself.
    private func expectProbeRuns(prepare: (URL) throws -> [String: String]) async throws {
        try await withTemporaryFolder { folder in
            let program = folder.appending(path: "ModelProbe")
            try await Program.copy(Program("ModelProbe").executable, to: program)
            var environment = ["HOME": "/nonexistent", "XDG_DATA_HOME": "", "SIGHTLINE_LITERT": ""]
            environment.merge(try prepare(folder)) { $1 }
            let model = TestData.fixture("models/add.tflite").path
            let lines = try await Program(program).run([], input: Data("\(model)\n".utf8), environment: environment)
                .lines
            #expect(lines.last?.hasPrefix("ok ") == true, "\(lines)")
        }
    }

    @Test func throwsWhereTheLibraryIsMissingAndNamesThePath() {
        let search = RuntimeSearch(environment: ["SIGHTLINE_LITERT": "/nonexistent/libLiteRt.so"], executable: nil)
        let error = #expect(throws: RuntimeError.self) { try RuntimeLibrary.open(search) }
        #expect(error?.description.contains("/nonexistent/libLiteRt.so") == true)
    }

    /// The probe is copied out of the build folder, in which the library may be installed.
    @Test(.disabled(if: RuntimeSearch.isInstalledForAll, "The library is installed for all users."))
    func aProgramWithoutTheLibraryGetsAnErrorAndGoesOn() async throws {
        try await withTemporaryFolder { folder in
            let program = folder.appending(path: "ModelProbe")
            try await Program.copy(Program("ModelProbe").executable, to: program)
            let model = TestData.fixture("models/add.tflite").path
            let environment = ["HOME": "/nonexistent", "XDG_DATA_HOME": "", "SIGHTLINE_LITERT": ""]
            let input = Data("\(model)\n\(model)\n".utf8)
            let lines = try await Program(program).run([], input: input, environment: environment).lines
            let errors = lines.filter { $0.hasPrefix("error RuntimeError The LiteRT library was not found") }
            #expect(errors.count == 2, "\(lines)")
        }
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
