import SightlineEvaluation

/// The progress of an evaluation's process.
struct EvaluationStep: Sendable, Decodable {
    /// The pictures of this step.
    var progress: EvaluationProgress
    /// The model with which the process compares, after the evaluation itself.
    var comparing: EvaluationOpponent?
}

/// The model with which an evaluation compares.
enum EvaluationOpponent: String, Sendable, Decodable {
    /// The version that is served.
    case served
    /// A rewritten, faster form of the evaluated version.
    case rewritten
}
