import ArgumentParser
import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

/// The hub of models that a command line names as `hub:NAME`.
struct HubArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            For models of a hub, hub:NAME or hub:NAME@ALIAS: a JSON file with "hub", "projectID" and "apiKey", or a \
            GoogleService-Info.plist with MODEL_HUB_URL (or \(HubFile.variable)).
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var hub: String?
}

/// A model that a hub hosts. The program `sightline-serve`, which follows such models, downloads it into the folder that it uses itself.
enum HubModel {
    private static let program = OtherProgram(name: "sightline-serve")

    /// Whether a text names a model of a hub, as no existing file does.
    static func isNamed(by text: String) -> Bool {
        text.hasPrefix(HubFile.prefix) && !FileManager.default.fileExists(atPath: text)
    }

    /// Downloads the published version of a model, unless it is there already. May wait for the network.
    ///
    /// - Parameters:
    ///   - name: `hub:NAME` or `hub:NAME@ALIAS`.
    ///   - file: the file of `--hub`, or nil for that of the environment.
    /// - Throws: an exit code after a message.
    static func fetch(
        _ name: String,
        file: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> LocalModel {
        guard let hub = HubFile.path(file, environment: environment) else {
            return try reporting(as: .usage) { throw ModelNameError.ofHub(name: name) }
        }
        let reply = try program.reply(to: ["fetch", "--hub=\(hub)", "--", name])
        // The program says on standard error why it has no answer.
        guard let answer = try? JSONDecoder().decode(FetchedModel.self, from: reply) else {
            throw ExitStatus.failure.code
        }
        if let message = answer.message { StandardError.report(message) }
        guard let path = answer.file else { throw ExitStatus.failure.code }
        return LocalModel(url: URL(filePath: path), confidenceThreshold: answer.confidenceThreshold)
    }
}
