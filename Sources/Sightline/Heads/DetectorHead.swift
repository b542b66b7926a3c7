import TensorFlowLite

/// Reads a detector's outputs as boxes.
///
/// A new kind of head is a file with a type of this kind, and a line in ``DetectorHeads``.
protocol DetectorHead: Sendable {
    /// The names by which a sidecar asks for this head.
    static var names: [ModelSidecar.Head] { get }

    /// Finds the head's outputs among those of a model, without running it; nil if the outputs are of another kind.
    static func find(in files: ModelFiles) throws -> Self?

    /// Whether the meaning of the outputs shows only in a run of the model, so that ``probed(_:values:)`` has to be called
    /// before the first picture.
    var needsProbe: Bool { get }

    /// The head, with the meaning of its outputs as the outputs for a gray picture show it.
    func probed(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> Self

    /// The number of classes that the head tells apart; nil where the model does not give it.
    var classCount: Int? { get }
    /// The names of the classes where the kind of model gives them, and neither the model nor a file beside it; nil where they are
    /// unknown.
    var classNames: [String]? { get }
    /// The names of the points that each object has; nil where the model gives none.
    var pointNames: [ObjectPoint.Name]? { get }
    /// The class that stands for an object of any kind; nil where the model has no such class.
    var objectClass: Int? { get }
    /// The fit of pictures into the model's input, unless a sidecar gives another fit.
    var fit: ImageFit { get }
    /// The range of a float input's values, unless the model or a sidecar gives another.
    var floatRange: ImageInput.FloatRange { get }
    /// The order of colors, unless a sidecar gives another.
    var channels: InputFormat.Channels { get }
    /// The score threshold where neither the caller nor the model gives a threshold.
    var defaultScoreThreshold: Float { get }
    /// The IoU above which two boxes of a class count as one object, where neither the caller nor a sidecar gives a
    /// threshold; nil where the model suppresses overlapping boxes itself.
    var defaultIoUThreshold: Float? { get }
    /// Whether overlapping boxes of one object are averaged, as the source of the model does it, rather than all but the best dropped.
    var averagesOverlaps: Bool { get }
    /// The kind of the head in words.
    var summary: String { get }
    /// Sentences about assumptions that were made since the model leaves something open.
    var assumptions: [String] { get }

    /// The outputs, or parts of outputs, that are not read, in words.
    var unused: [String] { get }

    /// Whether objects have masks.
    var givesMasks: Bool { get }

    /// The boxes whose score is at least `minimumScore`, in any order.
    ///
    /// - Throws: `OutputError` if the outputs are not finite.
    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate]

    /// The masks of candidates that suppression left, one for each: nil where there is none. The outputs are those of the run in which the
    /// candidates were found.
    ///
    /// - Throws: `OutputError` if the outputs are not finite.
    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?]
}

extension DetectorHead {
    var needsProbe: Bool { false }
    var unused: [String] { [] }
    var givesMasks: Bool { false }
    var classNames: [String]? { nil }
    var pointNames: [ObjectPoint.Name]? { nil }
    var objectClass: Int? { nil }
    var averagesOverlaps: Bool { false }
    var assumptions: [String] { [] }
    func probed(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> Self { self }
    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?] { candidates.map { _ in nil } }
    var fit: ImageFit { .stretch }
    var floatRange: ImageInput.FloatRange { .plusMinusOne }
    var channels: InputFormat.Channels { .rgb }
}
