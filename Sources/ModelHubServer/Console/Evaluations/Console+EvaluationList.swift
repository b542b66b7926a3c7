import Foundation
import Sightline
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
            var top1: String
            var state: String
            var kind: String
        }

        var rows: [Row]
        var hasRows: Bool
        var canBegin: Bool
        var refusal: String
        var hasRefusal: Bool
        /// The versions that can be evaluated.
        var choices: [ModelVersionView.Choice]
        /// How to get a faster version, if the inspection of the served version shows that there is one.
        var fasterHint: String
        var hasFasterHint: Bool
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
        let task = inspection?.kind
        let labelers = versions.filter { $0.warning == nil && InspectionView(json: $0.inspection)?.kind == .labeling }
        let first = labelers.first { $0.number == model.aliases[.staging] }?.number ?? model.file?.version
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
                pictures: evaluation.pictureCount.map { ConsoleText.count($0) } ?? "–",
                top1: ConsoleText.percent(evaluation.top1),
                state: state,
                kind: kind
            )
        }
        let refusal =
            !versions.contains { $0.warning == nil }
            ? "Upload a model that the hub can run first."
            : labelers.isEmpty
                ? "Labeling models can be evaluated here; for detection models, use `sightline evaluate boxes`."
                : hub.options.evaluator == nil ? "This hub cannot evaluate models." : ""
        let fasterHint =
            switch task {
            case _ where inspection?.canBeFaster != true: ""
            case .labeling where refusal.isEmpty:
                "This version can be rewritten so that it runs faster. An evaluation measures both forms."
            case .detection:
                "This version may run faster after it is rewritten: `sightline optimize` measures how much and how alike the "
                    + "boxes are, and `sightline hub publish --optimize` publishes both forms."
            case .labeling, nil: ""
            }
        return EvaluationList(
            rows: rows,
            hasRows: !rows.isEmpty,
            canBegin: refusal.isEmpty && caller.role >= .publisher,
            refusal: refusal,
            hasRefusal: !refusal.isEmpty,
            choices: labelers.map { .init($0, of: model, isChosen: $0.number == first) },
            fasterHint: fasterHint,
            hasFasterHint: !fasterHint.isEmpty,
            limit: NumberText.bytes(Hub.maximumArchiveSize),
            kept: Hub.maximumEvaluations
        )
    }
}
