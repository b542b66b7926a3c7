import ArgumentParser
import Sightline

/// The model and its labels.
struct ModelArguments: ParsableArguments, Sendable {
    @Option(
        help: """
            A .tflite file, a .zip or .task archive, an export folder, its manifest.json, or the name of an installed model \
            (default: the built-in model).
            """,
        completion: .file()
    )
    var model: String?

    @Option(
        help: "A text file with one label on each line, for the model or, if there is one, the classifier.",
        completion: .file()
    )
    var labels: String?

    @Flag(
        help: """
            Rewrite the model so that it runs faster, if possible; answers may differ a little. `sightline optimize` measures \
            how much.
            """
    )
    var optimize = false

    /// Refuses labels without a model.
    ///
    /// - Parameter others: further models that may need the labels.
    func check(others: String?...) throws {
        if labels != nil, model == nil, others.allSatisfy({ $0 == nil }) {
            throw ValidationError("--labels belongs to a model, but the built-in models have their own labels.")
        }
    }

    /// The named model; nil if there is none.
    ///
    /// - Throws: an exit code after a message.
    func localModel() throws -> LocalModel? {
        try model.map { try ModelArgument.resolve($0, labels: labels) }
    }
}
