import Foundation
import SightlineEvaluation

/// The result of an evaluation: a line of `sightline-hub evaluate-labels`, which the hub stores as it is.
struct EvaluationResult: Sendable, Decodable {
    /// The quality of the model.
    var report: LabelReport
    /// The comparison with the version that is served, the baseline; nil if there is none.
    var served: LabelComparison?
    /// The comparison with a rewritten, faster form of the model; nil if there is none.
    var rewritten: LabelComparison?

    /// Reads and checks a result, because its process ran an untrusted model.
    ///
    /// - Throws: `DecodingError`, or `EvaluationError.malformedReport`.
    init(json: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: json)
        try report.check()
        try served?.check()
        try rewritten?.check()
    }
}

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
