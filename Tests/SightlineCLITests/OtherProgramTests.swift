import Foundation
import SightlineTestSupport
import Testing

/// A command that needs another program of Sightline says so if that program does not answer.
@Suite(.hangLimit) struct OtherProgramTests {
    /// Runs `detect` with a model of a hub, with a shell script as `sightline-serve`.
    private func errors(with script: String) async throws -> (status: Int32?, text: String) {
        try await withTemporaryFolder { folder in
            let (program, other) = (folder.appending(path: "sightline"), folder.appending(path: "sightline-serve"))
            try await Program.copy(Command.executable, to: program)
            let written = folder.appending(path: "script")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: written)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: written.path)
            try await Program.copy(written, to: other)
            let arguments = ["detect", "a.png", "--model", "hub:plants", "--hub", "hub.json"]
            let result = try await Command.run(arguments, in: folder, executable: program)
            return (result.status, result.errors)
        }
    }

    @Test(arguments: ["TERM", "KILL"]) func aSignalThatEndedItIsNamed(signal: String) async throws {
        let (status, text) = try await errors(with: "kill -\(signal) $$")
        #expect(status == 2)
        #expect(text.hasPrefix("sightline: sightline-serve was ended by signal "))
        #expect(text.filter { $0 == "\n" }.count == 1)
    }

    @Test func aProgramThatEndsItselfGivesTheReason() async throws {
        let (status, text) = try await errors(with: "echo 'sightline: The hub is closed.' >&2; exit 2")
        #expect(status == 2)
        #expect(text == "sightline: The hub is closed.\n")
    }
}
