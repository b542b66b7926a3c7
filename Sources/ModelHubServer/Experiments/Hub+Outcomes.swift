import Foundation

extension Hub {
    /// The time after its end for which an experiment accepts reports. Apps may send delayed reports.
    private static let reportGracePeriod = Duration.seconds(7 * 24 * 3600)
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
        var known: [String: Experiment?] = [:]
        var accepted: [OutcomeBatch.Record] = []
        for record in batch.records {
            if known[record.experiment] == nil {
                known[record.experiment] = .some(try await records.experiment(record.experiment, of: project.id))
            }
            let isTaken =
                known[record.experiment].flatMap(\.self).map { takes(record, in: $0, by: reporter) } ?? false
            if isTaken { accepted.append(record) }
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
        }
        batch.records = accepted
        guard !accepted.isEmpty else { return receipt }
        let isNew = try await outcomes.inTurn(of: project.id) { [batch] in
            try await records.add(batch, to: project.id, at: now())
        }
        return isNew ? receipt : OutcomeReceipt(accepted: 0, ignored: receipt.ignored, repeated: true)
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
