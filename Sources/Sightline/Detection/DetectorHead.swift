import TensorFlowLite

/// Reads a detector's outputs as boxes.
protocol DetectorHead: Sendable {
    /// How many classes the head tells apart; nil where the model does not say.
    var classCount: Int? { get }
    /// How pictures are fitted into the model's input, unless a sidecar says otherwise.
    var fit: ImageFit { get }
    /// What a float input wants, unless the model says otherwise.
    var floatRange: ImageInput.FloatRange { get }
    /// The order of colours, unless a sidecar says otherwise.
    var channels: InputFormat.Channels { get }
    /// The score threshold where neither caller nor model gives one.
    var defaultScoreThreshold: Float { get }
    /// The IoU above which two boxes of a class are one object, where neither caller nor sidecar gives one; nil where
    /// the model has done it.
    var defaultIoUThreshold: Float? { get }
    /// What the head is, for people.
    var summary: String { get }
    /// What was assumed since the model does not say it.
    var assumptions: [String] { get }

    /// The boxes whose score is at least `minimumScore`, in any order.
    ///
    /// - Throws: `OutputError` if the outputs are not finite.
    func candidates(
        of interpreter: Interpreter,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate]
}

extension DetectorHead {
    var fit: ImageFit { .stretch }
    var floatRange: ImageInput.FloatRange { .plusMinusOne }
    var channels: InputFormat.Channels { .rgb }
}
