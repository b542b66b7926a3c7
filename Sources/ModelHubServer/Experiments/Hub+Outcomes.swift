import Foundation

extension Hub {
    /// The time after its end for which an experiment accepts reports. Apps may send delayed reports.
    static let reportGracePeriod = Duration.seconds(7 * 24 * 3600)
    /// The time for which the hub remembers a batch, so that it counts once; clients discard batches after a week.
    static let batchLifetime = Duration.seconds(30 * 24 * 3600)

    /// The result of receiving a batch.
    struct OutcomeReceipt: Sendable, Hashable, Encodable {
        /// The number of accepted outcomes.
        var accepted: Int
        /// The number of ignored outcomes: of unknown experiments or variants, or of another variant than the
        /// installation's.
        var ignored: Int
        /// Whether the hub already had the batch, so that nothing was added.
        var repeated: Bool
    }

    /// The sender of a report.
    enum Reporter: Sendable {
        /// An installation with a valid token. It may report only for its own variant.
        case installation(Installation)
        /// A client with only the API key, which every copy of the app contains.
        case unidentified
        /// A publisher, whose reports are trusted.
        case publisher
    }

    /// Adds the report of an app. A repeated batch has no effect.
    ///
    /// - Throws: `.resourceExhausted` if too many batches of the project wait to be written.
    func add(_ batch: OutcomeBatch, by reporter: Reporter, to project: Project) async throws -> OutcomeReceipt {
        var batch = batch
        var receipt = OutcomeReceipt(accepted: 0, ignored: 0, repeated: false)
        var known: [String: Subject] = [:]
        var accepted: [OutcomeBatch.Record] = []
        var rollouts: [RolloutReport] = []
        var results: [OutcomeBatch.Record] = []
        var confidences: [ConfidenceReport] = []
        for record in batch.records {
            if known[record.experiment] == nil {
                known[record.experiment] = try await subject(record.experiment, of: project)
            }
            var isTaken = false
            switch known[record.experiment] ?? .unknown {
            case .experiment(let experiment):
                isTaken = takes(record, in: experiment, by: reporter)
                if isTaken {
                    accepted.append(record)
                    ConfidenceReport(record).map { confidences.append($0) }
                }
            case .rollout(let rollout):
                isTaken = rollout.takes(record, by: reporter)
                if isTaken {
                    rollouts += record.reports(for: rollout)
                    ConfidenceReport(record, of: rollout).map { confidences.append($0) }
                }
            case .unknown: break
            }
            if isTaken { results.append(record) }
            if record.metric == .results {
                if isTaken { receipt.accepted += 1 } else { receipt.ignored += 1 }
            }
        }
        if case .unidentified = reporter {
            // Forged numbers could decide the experiment, so the hub stores only the number of results.
            accepted = accepted.filter { $0.metric == .results }.map { record in
                var record = record
                (record.metric, record.model) = (.unidentified, "")
                return record
            }.merged()
            results = accepted
            confidences = []
        }
        batch.records = accepted
        let shadows = try await shadows(in: batch, by: reporter, of: project)
        receipt.accepted += shadows.count
        receipt.ignored += batch.shadows.count - shadows.count
        guard !results.isEmpty || !shadows.isEmpty else { return receipt }
        let isNew = try await outcomes.inTurn(of: project.id) { [batch, rollouts, results, confidences] in
            try await records.add(
                batch,
                rollouts: rollouts.merged(),
                results: results,
                shadows: shadows,
                confidences: confidences,
                to: project.id,
                at: now()
            )
        }
        return isNew ? receipt : OutcomeReceipt(accepted: 0, ignored: receipt.ignored, repeated: true)
    }

    /// The comparisons of a batch that count: those of versions that the hub knows, by a sender that it knows.
    private func shadows(
        in batch: OutcomeBatch,
        by reporter: Reporter,
        of project: Project
    ) async throws -> [ShadowReport] {
        if case .unidentified = reporter { return [] }
        var reports: [ShadowReport] = []
        for outcome in batch.shadows {
            if let report = try await records.shadowReport(of: outcome, in: project.id) { reports.append(report) }
        }
        return reports
    }

    /// The subject of a record's results.
    private enum Subject {
        case experiment(Experiment)
        case rollout(Rollout)
        case unknown
    }

    private func subject(_ id: String, of project: Project) async throws -> Subject {
        if let experiment = try await records.experiment(id, of: project.id) { return .experiment(experiment) }
        return try await records.rollout(id, of: project.id).map { .rollout($0) } ?? .unknown
    }

    private func takes(_ record: OutcomeBatch.Record, in experiment: Experiment, by reporter: Reporter) -> Bool {
        if let stopTime = experiment.stopTime, stopTime.advanced(by: Self.reportGracePeriod) < now() { return false }
        guard experiment.variants.contains(where: { $0.id == record.variant }) else { return false }
        guard case .installation(let installation) = reporter else { return true }
        return CompiledAssignment.variant(of: installation.fid, in: experiment)?.id == record.variant
    }

    /// The variants of an experiment side by side.
    package func outcome(of id: String, by caller: Caller) async throws -> ExperimentOutcome {
        let experiment = try await experiment(id, by: caller)
        return ExperimentOutcome(experiment, try await records.outcomes(of: id, of: caller.project.id))
    }
}

extension Rollout {
    /// Whether an outcome counts. An installation reports only for its own group; nothing counts without an installation.
    fileprivate func takes(_ record: OutcomeBatch.Record, by reporter: Hub.Reporter) -> Bool {
        guard isActive, let group = RolloutGroup(rawValue: record.variant), group.isCompared else { return false }
        switch reporter {
        case .unidentified: return false
        case .publisher: return true
        case .installation(let installation):
            return RolloutGroup(place: PercentBucket.place(of: installation.fid, seed: id), share: share) == group
        }
    }
}

extension [RolloutReport] {
    /// One report for each guard of a rollout, because a device may use several models.
    fileprivate func merged() -> [RolloutReport] {
        var merged: [RolloutReport] = []
        for report in self {
            let place = merged.firstIndex {
                ($0.rollout, $0.rolloutGuard, $0.group) == (report.rollout, report.rolloutGuard, report.group)
            }
            guard let place else {
                merged.append(report)
                continue
            }
            merged[place].count += report.count
            merged[place].sum += report.sum
        }
        return merged
    }
}
