/// A model as the server describes it to clients.
package struct ServedModel: Sendable, Hashable {
    /// The results of a model.
    package enum Kind: String, Sendable, Hashable {
        /// The model finds objects.
        case detection
        /// The model labels whole pictures.
        case labeling
    }

    /// An input or an output.
    package struct Tensor: Sendable, Hashable {
        /// The name in the model.
        package let name: String
        /// The extents; −1 where they are open.
        package let shape: [Int]
        /// The type of the elements, such as `float32`.
        package let type: String
    }

    /// The facts about a model that is in use.
    package struct Version: Sendable, Hashable {
        /// The results of the model.
        package let kind: Kind
        /// The name and the version, as in answers.
        package let model: AnswerModel
        /// The SHA-256 of the model's file, as 64 lowercase hexadecimal digits.
        package let sha256: String
        /// The labels in results, in the order of the model's outputs; empty if it has none.
        package let labels: [String]
        /// The inputs of the file.
        package let inputs: [Tensor]
        /// The outputs of the file.
        package let outputs: [Tensor]
    }

    /// The name by which requests choose the model.
    package let name: String
    /// Where the model comes from: `built-in`, a path, the name of an installed model, or `hub:NAME@ALIAS`.
    package let source: String
    /// The version in use; nil while a hub's model was not downloaded yet.
    package let version: Version?
    /// Why the newest version of a hub's model is not in use, in one sentence; nil if it is.
    package let problem: String?
}
