/// What a model's author wrote about it, so that programs know how to feed it and how to read it.
///
/// Source of the format: the TensorFlow Lite metadata schema (file identifier M001).
public struct ModelMetadata: Sendable, Hashable {
    /// The model's name.
    public let name: String?
    /// What the model does.
    public let description: String?
    /// The version of the model.
    public let version: String?
    /// Who made it.
    public let author: String?
    /// The terms of its use.
    public let license: String?
    /// About the inputs, in the order of ``Model/inputs``.
    public let inputs: [TensorMetadata]
    /// About the outputs, in the order of ``Model/outputs``.
    public let outputs: [TensorMetadata]
    /// The packed files that concern the model as a whole.
    public let associatedFiles: [AssociatedFile]
}

/// A file that a model packs, for example a list of labels. ``Model/associatedFile(named:)`` gives its content.
public struct AssociatedFile: Sendable, Hashable {
    /// What a packed file is for.
    public enum Kind: Sendable, Hashable {
        /// Prose.
        case descriptions
        /// One label a line for the positions along the tensor's last axis.
        case axisLabels
        /// One label a line for the values of the tensor's elements.
        case valueLabels
        /// Parameters that calibrate scores.
        case axisScoreCalibration
        /// Words of a text model.
        case vocabulary
        /// An index for nearest-neighbour search.
        case searchIndex
        /// None of these; the number is the schema's.
        case unknown(Int)
    }

    /// The file's name within the archive.
    public let name: String
    /// What it is for.
    public let kind: Kind
    /// The language of the labels as a BCP 47 tag, for example "en"; nil where nothing is said.
    public let locale: String?
    /// What it holds.
    public let description: String?
}
