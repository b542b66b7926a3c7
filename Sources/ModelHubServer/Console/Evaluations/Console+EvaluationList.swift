import Foundation
import SightlineEvaluation
import TextFormatting

/// The evaluations on a model's page.
extension Console {
    /// The evaluations of a model, and the form that starts an evaluation.
    struct EvaluationList: Sendable {
        struct Row: Sendable {
            var path: String
            var created: ConsoleTime
            var version: String
            var archive: String
            var pictures: String
            var score: String
            var state: String
            var kind: String
        }

        var rows: [Row]
        var canBegin: Bool
        /// The reason why an evaluation cannot begin; nil if it can.
        var refusal: String?
        /// The versions that can be evaluated.
        var choices: [ModelVersionView.Choice]
        /// The way to a faster version; nil unless the inspection of the served version shows one.
        var fasterHint: String?
        /// The contents of the archive, for each kind of the versions that can be evaluated.
        var forms: [EvaluationForm]
        var limit: String
        var kept: Int
    }

    /// - Parameters:
    ///   - versions: The versions that may be evaluated, newest first.
    ///   - evaluations: The evaluations of the model, newest first.
    func evaluationList(
        of model: ModelRecord,
        _ versions: some Collection<ModelVersion>,
        _ evaluations: [EvaluationRecord],
        by caller: Caller
    ) -> EvaluationList {
        let inspection = (versions.first { $0.number == model.file?.version } ?? versions.first)
            .flatMap { InspectionView(json: $0.inspection) }
        let candidates = versions.filter { $0.warning == nil }
        let usable = candidates.filter { EvaluationKinds.measuring($0.task) != nil }
        let kinds = EvaluationKinds.all.filter { kind in candidates.contains { $0.task == kind.task } }
        let first = usable.first { $0.number == model.aliases[.staging] }?.number ?? model.file?.version
        let rows = evaluations.map { evaluation in
            let (state, kind) =
                switch evaluation.state {
                case .waiting: ("Waiting", "neutral")
                case .running: ("Running", "accent")
                case .done: ("Done", "good")
                case .failed: ("Failed", "bad")
                case .cancelled: ("Cancelled", "neutral")
                }
            return EvaluationList.Row(
                path: Self.path(of: evaluation),
                created: ConsoleTime(evaluation.createTime),
                version: "\(evaluation.version)",
                archive: evaluation.archiveName,
                pictures: evaluation.pictureCount.map { NumberText.grouped($0) } ?? "–",
                score: evaluation.scoreText ?? "–",
                state: state,
                kind: kind
            )
        }
        let refusal =
            candidates.isEmpty
            ? "Upload a model that the hub can run first."
            : usable.isEmpty
                ? "Only models that label pictures or find objects in them can be evaluated."
                : hub.options.evaluator == nil ? "This hub cannot evaluate models." : nil
        let canBeFaster = inspection?.canBeFaster == true && inspection?.kind != nil && refusal == nil
        let fasterHint =
            canBeFaster
            ? "This version can be rewritten so that it runs faster. An evaluation measures both forms." : nil
        return EvaluationList(
            rows: rows,
            canBegin: refusal == nil && caller.role >= .publisher,
            refusal: refusal,
            choices: usable.map { .init($0, of: model, isChosen: $0.number == first) },
            fasterHint: fasterHint,
            forms: kinds.map { $0.form },
            limit: NumberText.bytes(Hub.maximumArchiveSize),
            kept: Hub.maximumEvaluations
        )
    }
}
