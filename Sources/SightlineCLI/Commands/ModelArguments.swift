import ArgumentParser
import Foundation
import ModelCatalog
import Sightline

/// The model and its labels.
struct ModelArguments: ParsableArguments, Sendable {
    @Option(
        name: .shortAndLong,
        help: """
            A .tflite or .onnx file, a .zip or .task archive, an export folder, its manifest.json, a sidecar, the name of an \
            installed model, hub:NAME for a model of the hub of --hub, or built-in (default: the built-in model, or for detect and track the detector that `sightline models use` \
            chose). For detect and track, faces is the catalog's detector of faces, which is installed on first use, with its slices.
            """,
        completion: .modelOrFile
    )
    var model: String?

    @Option(
        help: "A text file with one label on each line, for the model or, if there is one, the classifier.",
        completion: .file()
    )
    var labels: String?

    @OptionGroup var hub: HubArguments

    @Option(
        help: ArgumentHelp(
            "The language of the labels, for a model that has them in several, for example de or pt-BR (default: en).",
            valueName: "language"
        )
    )
    var locale: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Rewrite the model so that it runs faster, if possible; answers may differ a little (default: rewritten in `track` only). \
            `sightline optimize` measures how much.
            """
    )
    var optimize: Bool?

    /// The name or path of the model; nil if there is none, or the word for the built-in model.
    var name: String? {
        guard let model else { return nil }
        return model == DefaultModel.builtIn && !FileManager.default.fileExists(atPath: model) ? nil : model
    }

    /// Whether the model is the detector of faces.
    var namesFaces: Bool { model == CatalogModel.faces && !FileManager.default.fileExists(atPath: CatalogModel.faces) }

    /// Refuses labels without a model.
    ///
    /// - Parameter others: further models that may need the labels.
    func check(others: String?...) throws {
        if labels != nil, name == nil, others.allSatisfy({ $0 == nil }) {
            throw ValidationError("--labels belongs to a model, but the built-in models have their own labels.")
        }
        if locale != nil, name == nil, others.allSatisfy({ $0 == nil }) {
            throw ValidationError("--locale belongs to a model, but the built-in models have English labels only.")
        }
    }

    /// The named model; nil if there is none.
    ///
    /// - Throws: an exit code after a message.
    func localModel() throws -> LocalModel? {
        try name.map { try resolve($0) }
    }

    /// The model of a path or name, with the labels and the language of the command line.
    ///
    /// - Parameter withLabels: whether the file of `--labels` belongs to this model.
    /// - Throws: an exit code after a message.
    func resolve(_ text: String, withLabels: Bool = true) throws -> LocalModel {
        var found = try ModelArgument.resolve(text, labels: withLabels ? labels : nil, hub: hub.hub)
        if let locale { found.locale = locale }
        return found
    }

    /// The default model, with the labels and the language of the command line.
    ///
    /// - Parameter withLabels: whether the file of `--labels` belongs to this model.
    func resolve(_ model: DefaultModel, withLabels: Bool) -> LocalModel {
        var found = LocalModel(url: model.file, labels: withLabels ? labels.map { URL(filePath: $0) } : nil)
        if let locale { found.locale = locale }
        return found
    }
}
