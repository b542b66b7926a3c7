import Foundation
import SightlineEvaluation

extension Hub {
    /// The confidences of a model's versions by week, newest version first.
    package func confidenceHistories(of model: ModelRecord) async throws -> [ConfidenceHistory] {
        try await records.confidences(of: model.id).sorted { $0.key > $1.key }
            .map { ConfidenceHistory(version: $0.key, $0.value) }
    }

    /// The mean confidence of a version's answers in its last evaluation; nil if no evaluation has it.
    func evaluatedConfidence(ofVersion number: Int, in evaluations: [EvaluationRecord]) async -> Double? {
        guard let last = evaluations.first(where: { $0.version == number && $0.state == .done }),
            let data = try? await evaluationFiles.open(.report, of: last.id).data(),
            let report = try? EvaluationResult.read(data, of: LabelEvaluator.self).report as? LabelReport
        else { return nil }
        let count = report.calibration.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        return report.calibration.reduce(0) { $0 + $1.confidence * Double($1.count) } / Double(count)
    }

    /// Writes an entry for each version whose confidence moved in this week, once for each move.
    ///
    /// - Throws: The failures of single models, after the others are done.
    func logDrift() async throws {
        let time = now()
        let week = time.week
        var duties = Duties()
        for (project, id) in try await records.modelsWithConfidences(in: week) {
            try await duties.perform("model \(id)") {
                guard let model = try await records.model(id, of: project) else { return }
                for history in try await confidenceHistories(of: model) where history.moved(in: week) {
                    guard let last = history.weeks.last(where: { $0.confidences.week == week }),
                        let index = last.index, let mean = last.confidences.mean
                    else { continue }
                    try await records.logOnce(
                        AuditEntry(
                            time: time,
                            project: project,
                            actor: "hub",
                            action: "model.drift",
                            target: "projects/\(project)/models/\(id)/versions/\(history.version)",
                            detail: "version \(history.version) of \(model.displayName): "
                                + String(
                                    format: "mean confidence %.3f, stability index %.2f (%.2f to %.2f)",
                                    mean,
                                    index.value,
                                    index.lower,
                                    index.upper
                                ),
                            event: .modelDrifted
                        ),
                        since: Timestamp(week: week)
                    )
                }
            }
        }
        try duties.finish()
    }
}
