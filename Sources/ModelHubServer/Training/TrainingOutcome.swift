import Foundation
import ModelHubProtocol
import SightlineEvaluation

/// The results of a trained model: a staged version with its threshold, notes and evaluation, and the doubtful photos.
///
/// Each step can be repeated after a hub ended between two of them: the same photos give the same bytes, which become a version once.
struct TrainingOutcome: Sendable {
    /// A photo whose label or boxes are perhaps wrong.
    struct Doubt: Sendable {
        /// The photo as it was when the training began.
        var photo: Photo
        var doubt: Photo.Doubt
        /// The boxes that the model found without a box of its label; nil for labels.
        var found: [PhotoBox]?
    }

    private let training: Training
    private let made: TrainedModel.Made
    private let files: [String: Photo]
    private let hub: Hub
    private let worker: String

    init(_ training: Training, _ made: TrainedModel.Made, files: [String: Photo], on hub: Hub, as worker: String) {
        (self.training, self.made, self.files, self.hub, self.worker) = (training, made, files, hub, worker)
    }

    /// Stores all, and ends the training.
    func store(in project: Project) async throws -> Training {
        let caller = Caller(project: project, role: .publisher, actor: training.ownActor)
        let hash = made.summary.hash.text.prefix(12)
        let object = try await hub.keep(
            made.summary,
            at: made.url,
            entry: made.entry,
            as: try ObjectAddress(
                bucket: "models",
                name: "\(training.model)/\(hash)/trained-on-\(training.dataSetName).tflite"
            ),
            contentType: "application/octet-stream",
            by: caller
        )
        let added = try await hub.addVersion(object.uri, toModelNamed: training.model, by: caller)
        let (id, number) = (added.model.id, added.version.number)
        _ = try await hub.setConfidenceThreshold(id, ofVersion: number, to: made.result.threshold, by: caller)
        let notes = String(String.UnicodeScalarView(namedNotes.unicodeScalars.prefix(ModelRules.longText)))
        _ = try await hub.setNotes(id, ofVersion: number, to: notes, by: caller)
        let isServed = added.model.file?.version == number
        if !isServed { _ = try await hub.setAlias(.staging, of: id, to: number, by: caller) }
        var done = training
        (done.state, done.endTime, done.version) = (.done, hub.now(), number)
        done.evaluation = try await storeReport(on: added.model, added.version)
        done.card = made.result.card
        done.message =
            isServed
            ? "These photos give version \(number) again, which is served."
            : "Version \(number) of \(training.model) is staged. \(notes.prefix { !$0.isNewline })"
        let entry = AuditEntry(
            time: hub.now(),
            project: training.project,
            actor: "hub",
            action: "training.done",
            target: training.resourceName,
            detail: "version \(number) of \(training.model)",
            event: .trainingDone
        )
        guard try await hub.records.endTraining(done, as: worker, doubts: doubts, audit: entry) else {
            throw HubError(.aborted, "The data set was deleted while its model was stored.")
        }
        return done
    }

    /// The notes with the names of photos that people know, instead of those of the training's files.
    private var namedNotes: String {
        files.reduce(made.result.notes) { notes, file in
            notes.contains(file.key) ? notes.replacing(file.key, with: file.value.name) : notes
        }
    }

    private var doubts: [Doubt] {
        made.result.doubts.enumerated().compactMap { place, doubt in
            guard let photo = files[doubt.file] else { return nil }
            return Doubt(
                photo: photo,
                doubt: .init(place: place + 1, answer: doubt.answer, confidence: doubt.confidence),
                found: training.kind == .labels
                    ? nil
                    : (doubt.found ?? []).compactMap { box in
                        guard let label = try? DataSet.label(box.label) else { return nil }
                        var clipped = box.clipped(toWidth: photo.width, height: photo.height)
                        clipped?.label = label
                        clipped?.confidence = min(max(box.confidence ?? 0, 0), 1)
                        return clipped
                    }
            )
        }
    }

    /// Stores the figures as an evaluation of the version, instead of those of an earlier attempt.
    ///
    /// - Returns: The id of the evaluation.
    private func storeReport(on model: ModelRecord, _ version: ModelVersion) async throws -> Int64 {
        for old in try await hub.records.evaluations(of: model.id) where old.actor == training.ownActor {
            try await hub.delete(old, audit: nil)
        }
        let (kind, line) = try Self.output(made.result.report)
        let report = made.result.report.content
        var evaluation = EvaluationRecord(
            project: training.project,
            model: model.id,
            kind: kind,
            version: version.number,
            hash: version.hash,
            archiveName: "the data set \(training.dataSetName)",
            byteCount: 0,
            actor: training.ownActor,
            createTime: hub.now(),
            state: .running
        )
        let entry = AuditEntry(
            time: hub.now(),
            project: training.project,
            actor: training.ownActor,
            action: "model.evaluate",
            target: model.resourceName,
            detail: "version \(version.number), by its training"
        )
        evaluation = try await hub.records.insert(evaluation, audit: entry)
        try await hub.evaluationFiles.store(line, as: .report, of: evaluation.id)
        (evaluation.state, evaluation.endTime) = (.done, hub.now())
        (evaluation.pictureCount, evaluation.score) = (report.pictureCount, report.score)
        try await hub.records.update(evaluation)
        try await hub.deleteOldEvaluations(of: model.id)
        return evaluation.id
    }

    /// The kind of evaluation of a report, and the line that its process would have written.
    private static func output(_ report: TrainingLine.Report) throws -> (kind: String, line: Data) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return switch report {
        case .labels(let report):
            (LabelEvaluator.name, try encoder.encode(EvaluationOutput<LabelEvaluator>(report)))
        case .boxes(let report): (BoxEvaluator.name, try encoder.encode(EvaluationOutput<BoxEvaluator>(report)))
        }
    }
}
