import Foundation
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program that tests run as a process of its own.
///
/// Foundation's `Process` is unfit for tests: it crashed a process that had about 1,360 open files, and all tests run in one process.
public struct Program: Sendable {
    /// The file of the program.
    public let executable: URL
    /// The additions of every run to the environment of the tests.
    public var environment: [String: String]

    /// Creates a program from its file.
    public init(_ executable: URL, environment: [String: String] = [:]) {
        (self.executable, self.environment) = (executable, environment)
    }

    /// Creates a program of this package from its name. SwiftPM puts it beside the test bundle. The default model that a developer
    /// chose does not count.
    public init(_ name: String) {
        self.init(
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name),
            environment: ["SIGHTLINE_MODEL": "built-in"]
        )
    }

    /// Copies a program, or a script, that a test then runs.
    ///
    /// Linux does not start a file that any process has open for writing. If the tests themselves wrote it, a program that they start
    /// in the same moment could have it open.
    public static func copy(_ file: URL, to target: URL) async throws {
        let result = try await Program(URL(filePath: "/bin/cp")).run(["-p", file.path, target.path])
        guard result.status == 0 else { throw ProgramError.failed(result.errors) }
    }

    /// A run that has ended.
    public struct Result: Sendable {
        /// Whether the program exited, or a signal ended it.
        public let ending: TerminationStatus
        /// The text on standard output.
        public let output: String
        /// The text on standard error.
        public let errors: String

        /// The exit code; nil if a signal ended the program.
        public var status: Int32? { if case .exited(let status) = ending { status } else { nil } }
        /// The lines on standard output.
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The place to which a program writes its results.
    public enum Output: Sendable {
        /// The text that ``RunningProgram/output`` returns.
        case text
        /// An open file, which stays open.
        case descriptor(Int32)
    }

    /// Runs the program to its end.
    ///
    /// Only a few programs run at a time, however many tests wait for one, since each needs memory and a core.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the program.
    ///   - input: The whole of standard input.
    ///   - folder: The working folder; nil for that of the tests.
    ///   - environment: Variables to add to the environment.
    /// - Throws: ``ProgramError`` if the program does not start, or has not ended after five minutes.
    public func run(
        _ arguments: [String],
        input: Data = Data(),
        in folder: URL? = nil,
        environment: [String: String] = [:]
    ) async throws -> Result {
        try await Turnstile.programs.pass {
            let program = try await start(arguments, in: folder, environment: environment)
            // A program may end before it has read everything.
            try? await program.send(input)
            await program.closeInput()
            return try await program.result()
        }
    }

    /// Runs the program to its end and returns the lines on standard output.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the program.
    ///   - environment: Variables to add to the environment.
    ///   - count: The number of lines after which the program is killed; nil to let it end.
    ///   - pause: The time between the last of these lines and the kill.
    public func lines(
        _ arguments: [String],
        environment: [String: String] = [:],
        killingAfter count: Int? = nil,
        pause: Duration = .zero
    ) async throws -> [String] {
        guard let count else { return try await run(arguments, environment: environment).lines }
        let program = try await start(arguments, environment: environment)
        do {
            try await program.waitForOutput { $0.count { $0 == "\n" } >= count }
            try await Task.sleep(for: pause)
            program.send(signal: SIGKILL)
        } catch ProgramError.ended {}
        return try await program.result().lines
    }

    /// Starts the program. Its standard input stays open until ``RunningProgram/closeInput()``.
    ///
    /// - Throws: ``ProgramError`` if the program does not start.
    public func start(
        _ arguments: [String],
        in folder: URL? = nil,
        environment: [String: String] = [:],
        output: Output = .text
    ) async throws -> RunningProgram {
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in self.environment.merging(environment, uniquingKeysWith: { $1 }) {
            if let key = Environment.Key(rawValue: name) { variables[key] = value }
        }
        let configuration = Configuration(
            executable: .path(FilePath(executable.path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(variables),
            workingDirectory: folder.map { FilePath($0.path) }
        )
        let words = ([executable.lastPathComponent] + arguments).joined(separator: " ")
        return switch output {
        case .text:
            try await RunningProgram.start(configuration, words: words, output: .sequence) { $0.standardOutput }
        case .descriptor(let descriptor):
            try await RunningProgram.start(
                configuration,
                words: words,
                output: .fileDescriptor(FileDescriptor(rawValue: descriptor), closeAfterSpawningProcess: false)
            ) { _ in nil }
        }
    }
}

/// The reason why a program cannot be run to its end.
public enum ProgramError: Error, CustomStringConvertible {
    /// It does not start.
    case notStarted(String, reason: String)
    /// It failed.
    case failed(String)
    /// It ended before it wrote what a test waited for.
    case ended(String, output: String, errors: String)
    /// It takes too long, and was killed.
    case tooSlow(String, output: String, errors: String)

    /// The reason, in a sentence.
    public var description: String {
        switch self {
        case .notStarted(let words, let reason): "`\(words)` does not start: \(reason)"
        case .failed(let errors): "a program failed: \(errors)"
        case .ended(let words, let output, let errors):
            "`\(words)` ended too soon; it wrote \(output.debugDescription) and \(errors.debugDescription)"
        case .tooSlow(let words, let output, let errors):
            "`\(words)` was killed since it took too long; it wrote \(output.debugDescription) and \(errors.debugDescription)"
        }
    }
}
