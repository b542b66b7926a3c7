import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

/// The built command.
enum Command {
    typealias Result = Program.Result

    static let executable = program.executable
    /// The command, which keeps no rewritten models: its cache folder cannot be written.
    static let program = {
        var program = Program("sightline")
        program.environment["XDG_CACHE_HOME"] = "/dev/null"
        return program
    }()

    /// Runs the command to its end.
    static func run(
        _ arguments: [String],
        input: Data = Data(),
        in folder: URL? = nil,
        executable: URL = executable,
        environment: [String: String] = [:]
    ) async throws -> Result {
        let program = Program(executable, environment: program.environment)
        return try await program.run(arguments, input: input, in: folder, environment: environment)
    }

    /// Runs the command, whose standard input stays open, and sends it a signal once its output is long enough.
    static func interrupted(
        by signal: Int32,
        _ arguments: [String],
        input text: String = "",
        in folder: URL? = nil,
        once isLongEnough: (String) -> Bool
    ) async throws -> Result {
        let process = try await program.start(arguments, in: folder)
        try await process.send(text)
        try await process.waitForOutput(isLongEnough)
        process.send(signal: signal)
        return try await process.result()
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

extension Program.Result {
    /// The lines of JSON on standard output.
    func records() throws -> [[String: Any]] {
        try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }
}
