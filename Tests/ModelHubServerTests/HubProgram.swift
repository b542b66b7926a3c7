import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

/// The built program `sightline-hub`.
enum HubProgram {
    typealias Result = Program.Result

    static let executable = Program("sightline-hub").executable

    /// Runs a program to its end. It reads `input`, which is empty by default.
    ///
    /// - Parameter place: The place of the hub in the folder that the arguments or the environment name, if they do.
    static func run(
        _ arguments: [String],
        executable: URL = executable,
        environment: [String: String] = [:],
        input: String = "",
        place: TestPlace = .ofHubs
    ) async throws -> Result {
        let option = arguments.firstIndex(of: "--data").map { arguments[$0...].dropFirst() }
        var variables = environment
        // A hub is restored into its folder.
        let place = arguments.first == "restore" ? .folder : place
        if let folder = option?.first ?? environment["SIGHTLINE_HUB_DATA"] {
            variables = try await place.environment(of: folder).merging(environment) { $1 }
        }
        return try await Program(executable).run(arguments, input: Data(input.utf8), environment: variables)
    }

    /// Runs the program on a hub with a terminal as standard input and output, and types an answer.
    static func onTerminal(_ arguments: [String], answer: String, data folder: URL) async throws -> Result {
        let words = ([executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        var variables = try await TestPlace.ofHubs.environment(of: folder.path)
        variables["SIGHTLINE_HUB_DATA"] = folder.path
        // script(1) of Debian's essential package bsdutils; -e returns the program's exit code.
        return try await Program(URL(filePath: "/usr/bin/script")).run(
            ["-q", "-e", "-c", words, "/dev/null"],
            input: Data(answer.utf8),
            environment: variables
        )
    }

    /// Calls `body` with an empty folder beside a hub's folder with a project, and with the program on that hub.
    static func withProject(_ body: (URL, ([String]) async throws -> Result) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            func run(_ arguments: [String]) async throws -> Result {
                try await self.run(arguments, environment: ["SIGHTLINE_HUB_DATA": folder.appending(path: "hub").path])
            }
            #expect(try await run(["project", "create", "my-plants"]).status == 0)
            try await body(folder, run)
        }
    }

    /// A hub that serves until it is stopped.
    struct Server {
        let process: RunningProgram
        let port: Int

        /// Starts one, through a shell that sets limits first if need be.
        init(
            data folder: URL,
            limits: String = "true",
            arguments: [String] = [],
            environment: [String: String] = [:],
            place: TestPlace = .ofHubs
        ) async throws {
            let variables = try await place.environment(of: folder.path).merging(environment) { $1 }
            process = try await Program(URL(filePath: "/bin/sh")).start(
                ["-c", "\(limits); exec \"$@\"", "sh", executable.path, "serve", "--data", folder.path, "--port", "0"]
                    + arguments,
                environment: variables
            )
            try await process.waitForErrors { Self.port(in: $0) != nil }
            port = try #require(Self.port(in: process.errors))
        }

        private static func port(in log: String) -> Int? {
            log.firstMatch(of: /"address":"https?:\/\/127\.0\.0\.1:(\d+)"/).flatMap { Int($0.1) }
        }

        /// The log so far.
        var log: String { process.errors }

        /// Kills it, if it still runs.
        func kill() { process.send(signal: SIGKILL) }

        /// Asks it to end, and returns its exit code.
        func stop() async throws -> Int32? {
            process.send(signal: SIGTERM)
            return try await process.result().status
        }
    }
}
