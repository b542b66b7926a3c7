import Foundation
import ProcessSandbox
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// The abilities of a process that reads untrusted files.
@Suite(.hangLimit)
struct SandboxTests {
    private static let probe = HubProgram.executable.deletingLastPathComponent().appending(path: "SandboxProbe")
    private static let hasAll = ProcessSandbox.missingProtections.isEmpty

    @Test(.enabled(if: hasAll, "the kernel has no seccomp or no Landlock"))
    func theSandboxForbidsFilesProcessesAndSockets() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let readable = test.folder.appending(path: "model.tflite")
                try Data("model".utf8).write(to: readable)
                let database = test.folder.appending(path: "records")
                try Data("records".utf8).write(to: database)
                let port = try #require(client.client.port)
                let result = try await HubProgram.run(
                    [readable.path, database.path, "\(port)"],
                    executable: Self.probe
                )
                let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
                let done = lines.filter { $0.last == "ok" }.compactMap { $0.first.map(String.init) }
                #expect(result.status == 0 && lines.count == 21)
                let expected = ["systemCalls", "files", "read", "thread", "descriptorFlags"]
                #expect(done.filter { $0 != "threads" } == expected)
                #expect(FileManager.default.fileExists(atPath: database.path))
            }
        }
    }

    /// The kernel refuses more threads; where it cannot, the hub ends the process.
    @Test func aProcessHasAtMostAFewHundredThreads() async throws {
        let output = Mutex(Data())
        let process = WorkerProcess(Self.probe, ["threads"])
        let ending = await process.run(timeout: .seconds(300)) { piece in
            output.withLock { $0 += piece }
            return true
        }
        let lines = String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        if case .crashed = ending { return #expect(lines.first != "threads ok") }
        #expect(lines.first == "threads ok")
        let count = try #require(lines.last.flatMap { Int($0) })
        #expect((64...512).contains(count))
    }

    /// Root of a container may have few users to choose from.
    private static let isRootOfAllUsers =
        geteuid() == 0
        && (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8))?.contains("4294967295") == true

    @Test(.enabled(if: isRootOfAllUsers, "needs root with all users; for others the kernel may forbid user namespaces"))
    func theKernelItselfLimitsTheThreadsOfRootsProcesses() async throws {
        let result = try await HubProgram.run(["threads"], executable: Self.probe)
        #expect(result.status == 0 && result.output.hasPrefix("threads ok\n"))
    }

    @Test func processesLearnNothingOfTheHubsEnvironment() {
        let environment = WorkerProcess.environment([
            "AWS_SECRET_ACCESS_KEY": "secret", "SIGHTLINE_HUB_TOKEN": "secret", "PGPASSWORD": "secret",
            "SIGHTLINE_HUB_DATABASE": "postgres://hub:secret@db/hub", "SIGHTLINE_LITERT": "/lib/libLiteRt.so",
            "HOME": "/home/hub", "PATH": "/usr/bin", "LANG": "C",
        ])
        #expect(
            environment == [
                "SIGHTLINE_LITERT": "/lib/libLiteRt.so", "HOME": "/home/hub", "PATH": "/usr/bin",
                "SWIFT_BACKTRACE": "enable=no",
            ]
        )
    }
}
