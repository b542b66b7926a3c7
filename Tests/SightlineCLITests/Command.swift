import Foundation
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

    private static func file(_ name: String, _ content: Data, in folder: URL) throws -> URL {
        let url = folder.appending(path: name)
        try content.write(to: url)
        return url
    }

    /// A detector that finds the same three objects in every picture: red 90 %, blue 80 %, green 40 %.
    static let detector = TestData.fixture("models/ssd_metadata.tflite").path
    /// A classifier of pictures that are red, green or blue.
    static let classifier = TestData.fixture("models/classifier_uint8_metadata.tflite").path
}
