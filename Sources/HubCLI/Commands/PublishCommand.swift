import ArgumentParser
import CommandLineSupport
import Crypto
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
            The command packs labels into the model, so that one download delivers both, also to Firebase's own clients. The hub \
            runs the model once before it publishes it. It refuses a damaged model, and the earlier version stays published. A \
            valid model that the hub cannot run, such as a model that keeps state, is published with a warning.

            With --optimize, the command also rewrites the model so that it runs faster, as `sightline optimize` does, and prints \
            how much faster it is and how alike its answers are. The original becomes a version, and the faster form the next \
            version, which is served. `sightline hub rollback` goes back to the original. A model that cannot become faster is \
            published as it is.

            Without a file, the command publishes a model that the hub already has.

            Examples:
              sightline hub publish plants model.tflite --labels dict.txt
              sightline hub publish plants retrained.tflite --tag plants --tag v2
              sightline hub publish plants
              sightline hub publish plants --threshold 0.4
              sightline hub publish plants model.tflite --optimize --pictures photos/

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name for clients: letters, digits, underscores and hyphens.")
    var name: String
    @Argument(help: "The .tflite model.", completion: .file())
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
            "Clients without a threshold of their own drop results below this confidence, 0 to 1. Use `none` for the model's threshold.",
            discussion: "The threshold stays when the model gets a new file.",
            valueName: "confidence"
        )
    )
    var threshold: ThresholdArgument?
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
        if pictures != nil, !optimize {
            throw ValidationError("--pictures belongs to --optimize; also give --optimize.")
        }
    }

    func run() async throws {
        let (published, note) = try await reporting {
            var note = ""
            let connection = try await location.connect()
            var current = try await connection.model(named: name)
            if let model {
                let uploaded = try await upload(URL(filePath: model), replacing: current, connection)
                (current, note) = (uploaded.model, uploaded.note)
            } else if let known = current, !tags.isEmpty {
                current = try await connection.change(
                    .patch,
                    connection.models(known.id) + "?updateMask=tags",
                    ["tags": tags]
                )
            }
            guard let current else {
                throw CommandError(
                    "The hub has no model \"\(name)\"; also give its file: `sightline hub publish \(name) model.tflite`."
                )
            }
            if let threshold { try await connection.setConfidenceThreshold(threshold.value, current) }
            if let error = current.state?.validationError {
                throw CommandError("\(name) was uploaded but cannot be published: \(error.message)")
            }
            let isPublished = current.state?.published == true
            return (isPublished ? current : try await connection.setPublished(true, current), note)
        }
        if let warning = published.state?.warning {
            StandardError.report("\(name) is published, but the hub cannot run it. \(warning)")
        }
        try format.print(published) {
            let size = NumberText.bytes(published.tfliteModel?.sizeBytes.flatMap { Int($0) })
            return "\(name): published, \(size), SHA-256 \(published.modelHash ?? "unknown")\n" + note
        }
        if format == .json { StandardError.write(note) }
    }

    /// Uploads a file, and its faster form if that is wanted and possible.
    ///
    /// - Returns: The model, and the comparison of both forms for people.
    private func upload(_ url: URL, replacing known: ModelResource?, _ connection: HubConnection) async throws -> (
        model: ModelResource, note: String
    ) {
        let labels = labels.map { URL(filePath: $0) }
        let file = try ModelPackage(model: url, labels: labels)
        let faster = optimize ? try fasterForm(of: file, LocalModel(url: url, labels: labels)) : nil
        if let faster, let known, known.modelHash == faster.sha256 {
            return (known, "The hub already serves the faster form of this model.\n" + faster.text)
        }
        let original = try await connection.upload(file, as: name, tags: tags, replacing: known)
        guard let faster, original.state?.validationError == nil else { return (original, "") }
        let pair = try await connection.upload(faster, of: original)
        let sentence =
            "Version \(pair.faster) is the faster form of version \(pair.original); go back with "
            + "`sightline hub rollback \(name) --to \(pair.original)`.\n"
        return (pair.model, sentence + faster.text)
    }

    /// The faster form of a model; nil, after a line on standard error, if there is none.
    ///
    /// - Throws: ``CommandError`` if the folder of pictures cannot be used.
    private func fasterForm(of file: ModelPackage, _ model: LocalModel) throws -> FasterForm? {
        let files = try pictures.map { try PictureFolder.files(in: $0) } ?? []
        do {
            return try FasterForm(of: file, model, pictures: files)
        } catch {
            StandardError.report("\(name) is published as it is. \(sentence(for: error))")
            return nil
        }
    }
}

/// A confidence from 0 to 1, or "none".
struct ThresholdArgument: ExpressibleByArgument {
    let value: Double?

    init?(argument: String) {
        if argument == "none" {
            value = nil
        } else {
            guard let number = Double(argument), (0...1).contains(number) else { return nil }
            value = number
        }
    }
}

/// A model's file for an upload.
struct ModelPackage {
    /// The bytes with the labels.
    let data: Data
    /// The name of the model's file.
    let fileName: String

    /// - Parameter labels: a file of labels to pack into the model.
    init(model: URL, labels: URL?) throws {
        fileName = model.lastPathComponent
        guard let labels else {
            data = try Self.read(model)
            return
        }
        do {
            data = try ModelLabels.pack(
                try Self.read(labels),
                fileName: labels.lastPathComponent,
                into: try Self.read(model)
            )
        } catch let error as ModelLabelsError {
            throw CommandError("The labels \(labels.path) cannot be packed into \(model.path): \(error)")
        }
    }

    /// Creates a package from the bytes of a model.
    init(data: Data, fileName: String) {
        self.data = data
        self.fileName = fileName
    }

    private static func read(_ url: URL) throws -> Data {
        do {
            return try Data(contentsOf: url)
        } catch {
            throw CommandError("\(url.path) cannot be read; check the path and its permissions.")
        }
    }
}

extension HubConnection {
    private struct Upload: Decodable {
        var bucket: String
        var name: String
    }

    private struct ModelBody: Encodable {
        struct File: Encodable {
            var gcsTfliteUri: String
        }

        var displayName: String?
        var tags: [String]?
        var tfliteModel: File
    }

    /// The bucket for the uploads of commands.
    private static let bucket = "models"

    /// Uploads a file as a new model, or as a new version of a model.
    func upload(_ package: ModelPackage, as name: String, tags: [String], replacing model: ModelResource?) async throws
        -> ModelResource
    {
        // The hash in the object's name distinguishes versions.
        let hash = SHA256.hash(data: package.data).prefix(6).hexadecimalText
        let object = "\(name)/\(hash)/\(package.fileName)"
        let target = "/upload/storage/v1/b/\(Self.bucket)/o?uploadType=media&name=\(Self.encoded(object))"
        let reply = try await send(.post, target, contentType: "application/octet-stream", body: package.data)
        let uploaded = try JSONDecoder().decode(Upload.self, from: reply)
        var body = ModelBody(tfliteModel: .init(gcsTfliteUri: "gs://\(uploaded.bucket)/\(uploaded.name)"))
        if !tags.isEmpty { body.tags = tags }
        guard let model else {
            body.displayName = name
            return try await change(.post, models(), body)
        }
        let mask = "tfliteModel.gcsTfliteUri" + (tags.isEmpty ? "" : ",tags")
        return try await change(.patch, models(model.id) + "?updateMask=\(mask)", body)
    }
}
