import ArgumentParser
import CommandLineSupport
import Crypto
import Foundation
import ModelHubServer
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

            Without a file, the command publishes a model that the hub already has.

            Examples:
              sightline hub publish plants model.tflite --labels dict.txt
              sightline hub publish plants retrained.tflite --tag plants --tag v2
              sightline hub publish plants
              sightline hub publish plants --threshold 0.4

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
    @Option(help: "How to print the published model.")
    var format = OutputFormat.table

    func validate() throws {
        if model == nil, labels != nil {
            throw ValidationError("--labels belongs to a model; also give the model's file.")
        }
    }

    func run() async throws {
        let published = try await reporting {
            let connection = try await location.connect()
            var current = try await connection.model(named: name)
            if let model {
                let file = try ModelPackage(model: URL(filePath: model), labels: labels.map { URL(filePath: $0) })
                current = try await connection.upload(file, as: name, tags: tags, replacing: current)
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
            return current.state?.published == true ? current : try await connection.setPublished(true, current)
        }
        if let warning = published.state?.warning {
            StandardError.report("\(name) is published, but the hub cannot run it. \(warning)")
        }
        try format.print(published) {
            let size = NumberText.bytes(published.tfliteModel?.sizeBytes.flatMap { Int($0) })
            return "\(name): published, \(size), SHA-256 \(published.modelHash ?? "unknown")\n"
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
    func upload(_ package: ModelPackage, as name: String, tags: [String], replacing model: HubModel?) async throws
        -> HubModel
    {
        // The hash in the object's name distinguishes versions.
        let hash = SHA256.hash(data: package.data).prefix(6).map { String(format: "%02x", $0) }.joined()
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
