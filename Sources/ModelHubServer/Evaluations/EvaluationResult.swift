import Foundation
import SightlineEvaluation

/// The result of an evaluation of any kind.
struct EvaluationResult: Sendable {
    var report: any EvaluationReport
    /// The comparison with the version that is served, the baseline; nil if there is none.
    var served: (any EvaluationComparison)?
    /// The comparison with a rewritten, faster form of the model; nil if there is none.
    var rewritten: (any EvaluationComparison)?

    /// Reads and checks the result of a kind of evaluation.
    ///
    /// - Throws: `DecodingError`, or `EvaluationError.malformedReport`.
    static func read<Kind: ModelEvaluator>(_ json: Data, of kind: Kind.Type) throws -> EvaluationResult {
        let output = try EvaluationOutput<Kind>(json: json)
        return EvaluationResult(report: output.report, served: output.served, rewritten: output.rewritten)
    }
}

extension EvaluationRecord {
    /// The kind of evaluation.
    ///
    /// - Throws: `.unimplemented` if a later hub stored the record.
    var evaluator: any ModelEvaluator.Type {
        get throws(HubError) {
            guard let found = EvaluationKinds.named(kind) else {
                throw HubError(.unimplemented, "This hub does not know evaluations of \(kind); install a newer hub.")
            }
            return found
        }
    }

    /// The stored comparison with the version that was served; nil if there is none.
    var storedComparison: (any EvaluationComparison)? {
        guard let comparison, let kind = EvaluationKinds.named(kind) else { return nil }
        return Self.read(comparison, of: kind)
    }

    /// The main figure with its name, for example `AP 0.412`; nil if there is none.
    var scoreText: String? { score.flatMap { EvaluationKinds.named(kind)?.scored($0) } }

    private static func read<Kind: ModelEvaluator>(_ json: String, of kind: Kind.Type) -> (any EvaluationComparison)? {
        try? JSONDecoder().decode(Kind.Comparison.self, from: Data(json.utf8))
    }
}
