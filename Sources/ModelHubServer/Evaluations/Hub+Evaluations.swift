import Foundation
import SightlineEvaluation

extension Hub {
    /// The number of stored evaluations per model; the oldest are removed.
    static let maximumEvaluations = 10
    /// The maximum size of an archive of pictures in bytes.
    static let maximumArchiveSize = 1 << 30

    /// Starts an evaluation of a version on received pictures. If another version is served, the evaluation compares
    /// both.
    ///
    /// - Parameters:
    ///   - number: The version; nil for the served version.
    ///   - archive: A zip archive of pictures, as the kind of evaluation for the model wants it. The evaluation takes it over.
    ///   - name: The file name of the archive.
    func evaluate(
        _ model: ModelRecord,
        version number: Int?,
        on archive: StagedFile,
        named name: String,
        by caller: Caller
    ) async throws -> EvaluationRecord {
        try caller.require(.publisher)
        guard options.evaluator != nil else {
            throw HubError(.unimplemented, "This hub cannot evaluate models; serve it with `sightline hub serve`.")
        }
        guard let number = number ?? model.file?.version else {
            throw HubError(.failedPrecondition, "\(model.displayName) has no file yet; upload a file first.")
        }
        guard let version = try await records.version(number, of: model.id) else {
            throw HubError(.notFound, "\(model.displayName) has no version \(number); choose another version.")
        }
        guard version.warning == nil else {
            throw HubError(
                .failedPrecondition,
                "The hub cannot run version \(number) of \(model.displayName), and so cannot evaluate it."
            )
        }
        guard let kind = EvaluationKinds.measuring(version.task) else {
            throw HubError(
                .failedPrecondition,
                "Version \(number) of \(model.displayName) neither labels pictures nor finds objects in them, and so cannot be evaluated."
            )
        }
        try await evaluations.checkRoom(for: caller.project.id)
        let summary = try archive.finish()
        let draft = EvaluationRecord(
            id: 0,
            project: caller.project.id,
            model: model.id,
            kind: kind.name,
            version: number,
            hash: version.hash,
            served: model.file.flatMap { file in
                file.hash == version.hash || file.warning != nil ? nil : .init(number: file.version, hash: file.hash)
            },
            archiveName: name,
            byteCount: summary.byteCount,
            actor: caller.actor,
            createTime: now(),
            state: .waiting
        )
        let entry = audit(
            caller,
            "model.evaluate",
            model.resourceName,
            "version \(number), \(summary.byteCount) bytes of pictures"
        )
        let evaluation = try await records.insert(draft, audit: entry)
        do {
            try await evaluationFiles.store(fileAt: archive.url, as: .pictures, of: evaluation.id)
            try await evaluations.add(evaluation, of: self)
        } catch {
            try await delete(evaluation, audit: nil)
            throw error
        }
        try await archive.entry?.release(noting: usageIfLimited(of: caller.project.id))
        try await deleteOldEvaluations(of: model.id)
        return evaluation
    }

    /// Deletes the evaluations of a model beyond ``maximumEvaluations``.
    func deleteOldEvaluations(of model: Int64) async throws {
        for old in try await records.evaluations(of: model).dropFirst(Self.maximumEvaluations)
        where !old.state.isOpen {
            try await delete(old, audit: nil)
        }
    }

    /// Repeats a failed or canceled evaluation.
    func repeatEvaluation(_ evaluation: EvaluationRecord, by caller: Caller) async throws {
        try caller.require(.publisher)
        guard !evaluation.state.isOpen else { return }
        try await evaluations.checkRoom(for: evaluation.project)
        let old = evaluation
        var evaluation = evaluation
        (evaluation.state, evaluation.message, evaluation.endTime) = (.waiting, nil, nil)
        try await records.keepEvaluationsAlive([evaluation.id], at: now())
        try await records.update(evaluation, audit: audit(caller, "evaluation.repeat", evaluation.resourceName))
        await evaluations.forget(evaluation.id)
        do {
            try await evaluations.add(evaluation, of: self)
        } catch {
            try await records.update(old)
            throw error
        }
    }

    /// Cancels an evaluation; has no effect on a finished evaluation.
    func cancelEvaluation(_ evaluation: EvaluationRecord, by caller: Caller) async throws {
        try caller.require(.publisher)
        guard evaluation.state.isOpen else { return }
        _ = await evaluations.cancel(evaluation.id)
        var evaluation = evaluation
        (evaluation.state, evaluation.endTime) = (.cancelled, now())
        try await records.update(evaluation, audit: audit(caller, "evaluation.cancel", evaluation.resourceName))
    }

    /// Stops the evaluations of this hub whose records say that they were canceled or deleted.
    ///
    /// - Parameter project: The project to look at; nil for all.
    func stopEndedEvaluations(of project: String? = nil) async throws {
        for evaluation in await evaluations.open where project == nil || evaluation.project == project {
            let record = try await records.evaluation(evaluation.id, of: evaluation.project)
            if record?.state.isOpen != true { _ = await evaluations.cancel(evaluation.id) }
        }
    }

    /// Deletes an evaluation and its files.
    func deleteEvaluation(_ evaluation: EvaluationRecord, by caller: Caller) async throws {
        try caller.require(.publisher)
        _ = await evaluations.cancel(evaluation.id)
        try await delete(evaluation, audit: audit(caller, "evaluation.delete", evaluation.resourceName))
    }

    /// Removes an evaluation with its files.
    func delete(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws {
        try await records.deleteEvaluation(evaluation.id, audit: audit)
        await evaluations.forget(evaluation.id)
        try? await evaluationFiles.remove(evaluation.id)
    }

    /// Removes the files of evaluations without a record, for example of deleted models.
    func removeForgottenEvaluations() async throws {
        let stored = try await evaluationFiles.evaluations()
        guard !stored.isEmpty else { return }
        for id in stored.subtracting(try await records.evaluationIDs()) {
            _ = await evaluations.cancel(id)
            await evaluations.forget(id)
            try? await evaluationFiles.remove(id)
        }
    }

    /// Marks the evaluations that ended with their process. These are all open evaluations, whatever their dates, if no other hub uses the
    /// store. The hub calls this before its first request.
    func interruptEvaluations() async throws {
        let time = now()
        try await records.interruptEvaluations(
            silentSince: records.isShared
                ? time.advanced(by: .zero - EvaluationHeartbeat.timeout) : Timestamp(milliseconds: .max),
            at: time,
            latest: time.advanced(by: EvaluationHeartbeat.timeout),
            message: "The hub stopped before the end of the evaluation; evaluate again."
        )
        try await removeForgottenEvaluations()
    }
}
