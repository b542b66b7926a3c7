import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer
import Sightline
import TensorFlowLite
import TextFormatting

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Upload and publish a model or a new version of it.",
        discussion: """
            The command packs labels into the model, so that one download delivers both, even to Firebase's own clients. The hub \
            runs the model once before it publishes it. It refuses a damaged model, and the earlier version stays published. A \
            valid model that the hub cannot run, such as a model that keeps state, is published with a warning.

            With --optimize, the command also rewrites the model so that it runs faster, as `sightline optimize` does, and prints \
            the gain and the difference of the answers. The original becomes a version, and the faster form the next \
            version, which is served. `sightline hub promote` returns to the original. A model that cannot become faster is \
            published unchanged.

            An ONNX model is a single file, with its weights in it. Clients of Sightline get it. Firebase's clients read only \
            TensorFlow Lite: for them there is no such model, and the command says so.

            With --stage, the file becomes a version that is not served: clients still receive the served version, and only \
            those that ask for the alias staging receive the new one. `sightline hub evaluate` measures it, the console compares \
            it with the served version, and `sightline hub promote` serves it.

            Without a file, the command publishes a model that the hub already has.

            Examples:
              sightline hub publish plants model.tflite --labels dict.txt
              sightline hub publish plants retrained.tflite --stage --threshold 0.4
              sightline hub publish plants retrained.tflite --tag plants --tag v2
              sightline hub publish plants yolo11n.onnx --labels coco.txt
              sightline hub publish plants retrained.tflite --license CC-BY-4.0 \\
                --notes "10,000 more leaves"
              sightline hub publish plants
              sightline hub publish plants model.tflite --optimize --pictures photos/

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name for clients: letters, digits, underscores and hyphens.")
    var name: String
    @Argument(help: "The .tflite or .onnx model.", completion: .file())
    var model: String?
    @Option(help: "A text file with one label on each line, to pack into the model.", completion: .file())
    var labels: String?
    @Option(
        name: .customLong("tag"),
        help: "A tag for searches. Repeatable. New tags replace the model's tags."
    )
    var tags: [String] = []
    @Option(
        help: ArgumentHelp(
            "Clients without their own threshold drop results below this confidence, 0 to 1. Use `none` for the model's threshold.",
            discussion: "The threshold belongs to the version: that of the file, or without a file the served version.",
            valueName: "confidence"
        ),
        transform: ThresholdArgument.init
    )
    var threshold: ThresholdArgument?
    @Option(help: "The purpose of the model, for its card in the console (default: the model's metadata).")
    var description: String?
    @Option(help: "The model's license, for its card.")
    var license: String?
    @Option(help: "The model's author, for its card.")
    var author: String?
    @Option(help: "Notes on this version, such as its changes.")
    var notes: String?
    @Flag(help: "Add the version without serving it.")
    var stage = false
    @Flag(help: "Also publish a faster form of the model, as its next version.")
    var optimize = false
    @Option(
        help: "A folder of pictures on which --optimize compares both forms (default: generated pictures).",
        completion: .directory
    )
    var pictures: String?
    @Option(help: "How to print the published model.")
    var format = OutputFormat.table

    func validate() throws {
        if model == nil, labels != nil {
            throw ValidationError("--labels belongs to a model; also give the model's file.")
        }
        if model == nil, optimize {
            throw ValidationError("--optimize rewrites a model's file; also give the file.")
        }
        if model == nil, stage {
            throw ValidationError(
                "--stage adds a model's file; also give the file. `sightline hub alias set NAME staging VERSION` stages a version "
                    + "that the hub has."
            )
        }
        if model == nil, notes != nil {
            throw ValidationError("--notes belongs to a new version; also give the model's file.")
        }
        if pictures != nil, !optimize {
            throw ValidationError("--pictures belongs to --optimize; also give --optimize.")
        }
    }

    func run() async throws {
        let connection = try await reporting { try await location.connect() }
        let (version, note) = try await reporting { try await prepare(connection) }
        if stage, let version { return try await reporting { try await stage(version, note, connection) } }
        let (published, threshold, clients) = try await reporting { try await publish(version, connection) }
        let remarks = note + (clients.map { $0 + "\n" } ?? "")
        if let warning = published.state?.warning {
            StandardError.report("\(name) is published, but the hub cannot run it. \(warning)")
        }
        try format.print(published) {
            let size = NumberText.bytes(published.tfliteModel?.sizeBytes.flatMap { Int($0) })
            let confidence = threshold.map { ", threshold \($0)" } ?? ""
            return "\(name): published, \(size), SHA-256 \(published.modelHash ?? "unknown")\(confidence)\n" + remarks
        }
        if format == .json { StandardError.write(remarks) }
    }

    /// Uploads the file, if there is one, and sets the threshold, the notes, the tags and the card. Clients do not get the new version yet, so that
    /// they never get it without its threshold.
    ///
    /// - Returns: The version to publish, nil without a file, and sentences for people.
    private func prepare(_ connection: HubConnection) async throws -> (version: Int?, note: String) {
        let (versions, note) =
            if let model { try await upload(URL(filePath: model), connection) } else { ([Int](), "") }
        guard let known = try await connection.model(named: name) else { throw unknownModel }
        if let threshold {
            let served = try await connection.details(of: name).servedVersion
            let changed = versions.isEmpty ? [served].compactMap(\.self) : versions
            // Staging must not change the clients' version, even if the file is served already.
            for version in changed where !stage || version != served {
                try await connection.setConfidenceThreshold(threshold.value, ofVersion: version, of: name)
            }
        }
        if let notes {
            for version in versions { try await connection.setNotes(notes, ofVersion: version, of: name) }
        }
        let card = ModelCardChange(description: description, license: license, author: author)
        if !card.isEmpty { try await connection.changeCard(of: name, card) }
        if !tags.isEmpty {
            _ = try await connection.change(.patch, connection.models(known.id) + "?updateMask=tags", ["tags": tags])
        }
        return (versions.last, note)
    }

    /// Serves a version, if one is given, and publishes the model.
    ///
    /// - Returns: The model with the file of that version, the version's threshold, and the clients that get it. Another job may serve another version at the
    ///   same time; then a line on standard error says so.
    private func publish(
        _ version: Int?,
        _ connection: HubConnection
    ) async throws -> (model: ModelResource, threshold: Double?, clients: String?) {
        if let version { try await connection.promoteWarning(name, to: version) }
        var published = try await publishServed(connection)
        let details = try await connection.details(of: name)
        let clients = details.format(of: version ?? details.servedVersion)?.clientNote
        guard let version else { return (published, details.confidenceThreshold, clients) }
        guard let own = details.versions.first(where: { $0.version == version }) else {
            return (published, nil, clients)
        }
        if published.modelHash != own.modelHash {
            StandardError.report(
                "warning: Another command has published another version of \(name) since; clients receive that version. `sightline hub promote \(name) \(version)` serves this one."
            )
            published.modelHash = own.modelHash
            published.tfliteModel?.sizeBytes = own.sizeBytes
            published.tfliteModel?.gcsTfliteUri = own.gcsTfliteUri
        }
        return (published, own.confidenceThreshold, clients)
    }

    private func publishServed(_ connection: HubConnection) async throws -> ModelResource {
        guard let current = try await connection.model(named: name) else { throw unknownModel }
        if let error = current.state?.validationError {
            throw CommandError("\(name) cannot be published: \(error.message)")
        }
        return current.state?.published == true ? current : try await connection.setPublished(true, current)
    }

    /// Stages a version and prints it.
    private func stage(_ version: Int, _ note: String, _ connection: HubConnection) async throws {
        let isServed = try await connection.details(of: name).servedVersion == version
        if !isServed { try await connection.setAlias(.staging, of: name, to: version) }
        let details = try await connection.details(of: name)
        guard let staged = details.versions.first(where: { $0.version == version })
        else { throw CommandError("\(name) no longer has version \(version); publish the file again.") }
        if let warning = staged.warning {
            StandardError.report("The hub cannot run version \(version) of \(name). \(warning)")
        }
        let remarks = note + (details.format(of: version)?.clientNote.map { $0 + "\n" } ?? "")
        try format.print(staged) {
            let file = "\(NumberText.bytes(Int(staged.sizeBytes))), SHA-256 \(staged.modelHash)"
            let state = isServed ? "serves this file already as version \(version)" : "version \(version) is staged"
            let confidence = staged.confidenceThreshold.map { ", threshold \($0)" } ?? ""
            return "\(name): \(state), \(file)\(confidence)\n" + remarks
        }
        if format == .json { StandardError.write(remarks) }
    }

    private var unknownModel: CommandError {
        CommandError(
            "The hub has no model \"\(name)\"; also give its file: `sightline hub publish \(name) model.tflite`."
        )
    }

    /// Uploads a file, and its faster form if that is wanted and possible, as versions that are not served.
    ///
    /// - Returns: The versions, and the comparison of both forms for people.
    private func upload(_ url: URL, _ connection: HubConnection) async throws -> (versions: [Int], note: String) {
        let labels = labels.map { URL(filePath: $0) }
        let file = try ModelPackage(model: url, labels: labels)
        let faster = optimize ? try fasterForm(of: file, LocalModel(url: url, labels: labels)) : nil
        let original = try await connection.addVersion(file, toModelNamed: name).version
        guard let faster else { return ([original], "") }
        let package = ModelPackage(data: faster.data, fileName: "faster-form-of-version-\(original).tflite")
        let added = try await connection.addVersion(package, toModelNamed: name)
        let sentence =
            added.isKnown
            ? "The hub already has the faster form of this model as version \(added.version).\n"
            : "Version \(added.version) is the faster form of version \(original); return to that with "
                + "`sightline hub promote \(name) \(original)`.\n"
        return ([original, added.version], sentence + faster.text)
    }

    /// The faster form of a model; nil, after a line on standard error, if there is none.
    ///
    /// - Throws: ``CommandError`` if the folder of pictures cannot be used.
    private func fasterForm(of file: ModelPackage, _ model: LocalModel) throws -> FasterForm? {
        let files = try pictures.map { try PictureFolder.files(in: $0) } ?? []
        do {
            return try FasterForm(of: file, model, pictures: files)
        } catch {
            StandardError.report("\(name) is published unchanged. \(sentence(for: error))")
            return nil
        }
    }
}

/// A confidence from 0 to 1, or "none".
struct ThresholdArgument {
    let value: Double?

    init(_ argument: String) throws(CommandError) {
        if argument == "none" {
            value = nil
        } else {
            guard let number = Double(argument), (0...1).contains(number) else {
                throw CommandError("Give a number from 0 to 1, such as 0.6, or `none`.")
            }
            value = number
        }
    }
}
