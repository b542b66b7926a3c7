import Foundation
import ProcessSandbox
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// What a process can do that reads what strangers sent.
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
                #expect(result.status == 0 && lines.count == 20)
                #expect(done == ["systemCalls", "files", "read", "thread", "descriptorFlags"])
                #expect(FileManager.default.fileExists(atPath: database.path))
            }
        }
    }

    @Test func aProcessWithThousandsOfThreadsIsEnded() async {
        let process = WorkerProcess(Self.probe, ["threads"])
        let ending = await process.run(timeout: .seconds(300)) { _ in true }
        guard case .crashed = ending else {
            Issue.record("\(ending)")
            return
        }
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
