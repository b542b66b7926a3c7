import Foundation
import SightlineEvaluation

/// A line about the progress of an evaluation's process.
package struct EvaluationStep: Sendable, Codable {
    /// The pictures of this step.
    package var progress: EvaluationProgress
    /// The model with which the process compares, after the evaluation itself.
    package var comparing: EvaluationOpponent?

    /// Creates a line.
    package init(_ progress: EvaluationProgress, comparing: EvaluationOpponent? = nil) {
        self.progress = progress
        self.comparing = comparing
    }
}

/// The model with which an evaluation compares.
package enum EvaluationOpponent: String, Sendable, Codable {
    /// The version that is served.
    case served
    /// A rewritten, faster form of the evaluated version.
    case rewritten
}

/// A line with the result of an evaluation, which the hub stores unchanged.
package struct EvaluationOutput<Kind: ModelEvaluator>: Sendable, Codable {
    package var report: Kind.Report
    /// The comparison with the version that is served, the baseline; nil if there is none.
    package var served: Kind.Comparison?
    /// The comparison with a rewritten, faster form of the model; nil if there is none.
    package var rewritten: Kind.Comparison?

    /// Creates a line without comparisons.
    package init(_ report: Kind.Report) { self.report = report }

    /// Reads and checks a line, because its process ran an untrusted model.
    ///
    /// - Throws: `DecodingError`, or `EvaluationError.malformedReport`.
    init(json: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: json)
        try report.check()
        try served?.check()
        try rewritten?.check()
    }
}

/// A line with the reason why there is no result.
package struct EvaluationFailure: Sendable, Codable {
    package var error: String

    /// Creates a line.
    package init(_ error: String) { self.error = error }
}

extension ModelEvaluator {
    /// The command of `sightline-hub` whose process evaluates and writes these lines.
    package static var workerCommand: String { "evaluate-\(name)" }
}
