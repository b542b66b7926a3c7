/// A model's description by its author, which shows programs how to prepare inputs and how to read outputs.
///
/// Source of the format: the TensorFlow Lite metadata schema (file identifier M001).
public struct ModelMetadata: Sendable, Hashable {
    /// The model's name.
    public let name: String?
    /// The purpose of the model.
    public let description: String?
    /// The version of the model.
    public let version: String?
    /// The author of the model.
    public let author: String?
    /// The license of the model.
    public let license: String?
    /// Descriptions of the inputs, in the order of ``Model/inputs``.
    public let inputs: [TensorMetadata]
    /// Descriptions of the outputs, in the order of ``Model/outputs``.
    public let outputs: [TensorMetadata]
    /// The packed files that describe the model as a whole.
    public let associatedFiles: [AssociatedFile]
    /// MediaPipe's description of a detector without post-processing.
    public let detector: DetectorMetadata?
}

/// A file packed into a model, for example a list of labels. ``Model/associatedFile(named:)`` returns its contents.
public struct AssociatedFile: Sendable, Hashable {
    /// The purpose of a packed file.
    public enum Kind: Sendable, Hashable {
        /// Prose.
        case descriptions
        /// One label per line for the positions along the tensor's last axis.
        case axisLabels
        /// One label per line for the values of the tensor's elements.
        case valueLabels
        /// Parameters that calibrate scores.
        case axisScoreCalibration
        /// Words of a text model.
        case vocabulary
        /// An index for nearest-neighbor search.
        case searchIndex
        /// A kind that this version does not know, with its number in the schema.
        case unknown(Int)
    }

    /// The file's name within the archive.
    public let name: String
    /// The purpose of the file.
    public let kind: Kind
    /// The language of the labels as a BCP 47 tag, for example "en"; nil if the metadata does not state it.
    public let locale: String?
    /// A description of the file.
    public let description: String?
}
