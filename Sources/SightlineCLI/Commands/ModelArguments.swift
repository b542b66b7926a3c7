import ArgumentParser
import Sightline

/// The model and its labels.
struct ModelArguments: ParsableArguments, Sendable {
    @Option(
        name: .shortAndLong,
        help: """
            A .tflite file, a .zip or .task archive, an export folder, its manifest.json, a sidecar, or the name of an \
            installed model (default: the built-in model).
            """,
        completion: .modelOrFile
    )
    var model: String?

    @Option(
        help: "A text file with one label on each line, for the model or, if there is one, the classifier.",
        completion: .file()
    )
    var labels: String?

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

    /// Refuses labels without a model.
    ///
    /// - Parameter others: further models that may need the labels.
    func check(others: String?...) throws {
        if labels != nil, model == nil, others.allSatisfy({ $0 == nil }) {
            throw ValidationError("--labels belongs to a model, but the built-in models have their own labels.")
        }
        if locale != nil, model == nil, others.allSatisfy({ $0 == nil }) {
            throw ValidationError("--locale belongs to a model, but the built-in models have English labels only.")
        }
    }

    /// The named model; nil if there is none.
    ///
    /// - Throws: an exit code after a message.
    func localModel() throws -> LocalModel? {
        try model.map { try resolve($0) }
    }

    /// The model of a path or name, with the labels and the language of the command line.
    ///
    /// - Parameter withLabels: whether the file of `--labels` belongs to this model.
    /// - Throws: an exit code after a message.
    func resolve(_ text: String, withLabels: Bool = true) throws -> LocalModel {
        var found = try ModelArgument.resolve(text, labels: withLabels ? labels : nil)
        if let locale { found.locale = locale }
        return found
    }
}
