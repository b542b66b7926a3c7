import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

/// The built command, run as a process of its own.
enum Command {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        /// The lines on standard output.
        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The lines of JSON on standard output.
        func records() throws -> [[String: Any]] {
            try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
        }
    }

    /// Beside the test bundle, where SwiftPM puts the products of a build.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "sightline")

    /// Runs the command to its end. Files rather than pipes carry the streams, so that none can fill up.
    static func run(
        _ arguments: [String],
        input: Data = Data(),
        in folder: URL? = nil,
        executable: URL = executable,
        environment: [String: String] = [:]
    ) throws -> Result {
        try withTemporaryFolder { streams in
            let (input, output, errors) = try (
                file("input", input, in: streams), file("output", Data(), in: streams),
                file("errors", Data(), in: streams)
            )
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            if let folder { process.currentDirectoryURL = folder }
            process.standardInput = try FileHandle(forReadingFrom: input)
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus,
                output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            )
        }
    }

    /// Runs the command, whose standard input stays open, and sends it a signal once its output is long enough.
    ///
    /// - Returns: how it ended, the exit code or the signal, and the whole output.
    static func interrupted(
        by signal: Int32,
        _ arguments: [String],
        input text: String = "",
        in folder: URL? = nil,
        once isLongEnough: (String) -> Bool
    ) throws -> (reason: Process.TerminationReason, status: Int32, output: String) {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        var written = Data()
        while !isLongEnough(String(decoding: written, as: UTF8.self)) {
            let part = output.fileHandleForReading.availableData
            try #require(!part.isEmpty)
            written += part
        }
        kill(process.processIdentifier, signal)
        written += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationReason, process.terminationStatus, String(decoding: written, as: UTF8.self))
    }

    private static func file(_ name: String, _ content: Data, in folder: URL) throws -> URL {
        let url = folder.appending(path: name)
        try content.write(to: url)
        return url
    }

    /// Puts the runtime library, which lies in the user's data folder, into another folder of that kind.
    static func linkRuntime(into data: URL) throws {
        let files = FileManager.default
        try files.createDirectory(at: data, withIntermediateDirectories: true)
        let home = ModelStore.ofUser().folder.deletingLastPathComponent()
        for name in (try? files.contentsOfDirectory(atPath: home.path)) ?? [] where name.hasPrefix("litert-") {
            try files.createSymbolicLink(
                at: data.appending(path: name),
                withDestinationURL: home.appending(path: name)
            )
        }
    }

    /// A detector that finds the same three objects in every picture: red 90 %, blue 80 %, green 40 %.
    static let detector = TestData.fixture("models/ssd_metadata.tflite").path
    /// A classifier of pictures that are red, green or blue.
    static let classifier = TestData.fixture("models/classifier_uint8_metadata.tflite").path
}
