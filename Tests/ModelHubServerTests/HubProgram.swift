import Foundation
import SightlineTestSupport
import Testing

/// The built program `sightline-hub`, run as a process of its own.
enum HubProgram {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Beside the test bundle, where SwiftPM puts the products of a build.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "sightline-hub"
    )

    /// Runs a program to its end. It reads `input`, which is empty by default.
    static func run(
        _ arguments: [String],
        executable: URL = executable,
        environment: [String: String] = [:],
        input: String = ""
    ) throws -> Result {
        try withTemporaryFolder { folder in
            let errors = folder.appending(path: "errors")
            try Data().write(to: errors)
            let inputFile = folder.appending(path: "input")
            try Data(input.utf8).write(to: inputFile)
            // A pipe: some commands may write no files.
            let output = Pipe()
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardInput = try FileHandle(forReadingFrom: inputFile)
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus,
                output: String(decoding: text, as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            )
        }
    }

    /// Calls `body` with an empty folder beside a hub's folder with a project, and with the program on that hub.
    static func withProject(_ body: (URL, ([String]) throws -> Result) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            func run(_ arguments: [String]) throws -> Result {
                try self.run(arguments, environment: ["SIGHTLINE_HUB_DATA": folder.appending(path: "hub").path])
            }
            #expect(try run(["project", "create", "my-plants"]).status == 0)
            try await body(folder, run)
        }
    }

    /// A hub that serves until it is stopped.
    struct Server {
        let process: Process
        let port: Int
        private let reading: FileHandle

        /// Starts one, through a shell that sets limits first if need be.
        init(
            data folder: URL,
            limits: String = "true",
            arguments: [String] = [],
            environment: [String: String] = [:]
        ) async throws {
            let process = Process()
            let (log, reading) = try Self.unnamedFile()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments =
                ["-c", "\(limits); exec \"$@\"", "sh", executable.path, "serve", "--data", folder.path, "--port", "0"]
                + arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardError = log
            process.standardInput = FileHandle.nullDevice
            try process.run()
            var text = ""
            while true {
                let isRunning = process.isRunning
                text += String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self)
                if let match = text.firstMatch(of: /"address":"https?:\/\/127\.0\.0\.1:(\d+)"/), let port = Int(match.1)
                {
                    (self.process, self.port) = (process, port)
                    self.reading = reading
                    return
                }
                guard isRunning else { throw Failure(log: text) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// A file for the log, to write and to read, that vanishes with its handles. (A pipe with a readability handler
        /// may be closed while libdispatch still watches it.)
        private static func unnamedFile() throws -> (writing: FileHandle, reading: FileHandle) {
            let url = FileManager.default.temporaryDirectory.appending(path: "sightline-test-\(UUID().uuidString)")
            try Data().write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            return (try FileHandle(forWritingTo: url), try FileHandle(forReadingFrom: url))
        }

        struct Failure: Error {
            let log: String
        }

        /// The log so far.
        func log() throws -> String {
            try reading.seek(toOffset: 0)
            return String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self)
        }

        func stop(_ signal: Int32 = SIGTERM) -> Int32 {
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            return process.terminationStatus
        }
    }
}
