import Foundation

extension Hub {
    /// How long after its end an experiment takes reports; apps send what they could not send at once.
    private static let reportGracePeriod = Duration.seconds(7 * 24 * 3600)
    /// How long a batch is remembered, so that it counts once; clients give theirs up after a week.
    static let batchLifetime = Duration.seconds(30 * 24 * 3600)

    /// What became of a batch.
    struct OutcomeReceipt: Sendable, Hashable, Encodable {
        /// How many outcomes were added.
        var accepted: Int
        /// How many were not: of experiments or variants that are not, or not of this installation's variant.
        var ignored: Int
        /// Whether the batch had come before, so that nothing was added.
        var repeated: Bool
    }

    /// The sender of a report.
    enum Reporter: Sendable {
        /// An installation that showed its token. It speaks for the variant that it gets, and for no other.
        case installation(Installation)
        /// A client that showed only the API key, which every copy of the app contains.
        case unidentified
        /// A publisher, who vouches for what it reports.
        case publisher
    }

    /// Adds what an app reports. A batch that comes again is not added again.
    ///
    /// - Throws: `.resourceExhausted` if too many batches of the project wait to be written.
    func add(_ batch: OutcomeBatch, by reporter: Reporter, to project: Project) async throws -> OutcomeReceipt {
        var batch = batch
        var receipt = OutcomeReceipt(accepted: 0, ignored: 0, repeated: false)
        var known: [String: Experiment?] = [:]
        var accepted: [OutcomeBatch.Record] = []
        for record in batch.records {
            if known[record.experiment] == nil {
                known[record.experiment] = .some(try await metadata.experiment(record.experiment, of: project.id))
            }
            let isTaken =
                known[record.experiment].flatMap(\.self).map { takes(record, in: $0, by: reporter) } ?? false
            if isTaken { accepted.append(record) }
            if record.metric == .results {
                if isTaken { receipt.accepted += 1 } else { receipt.ignored += 1 }
            }
        }
        if case .unidentified = reporter {
            // Made-up figures could decide the experiment. The hub keeps only how many results there were.
            accepted = accepted.filter { $0.metric == .results }.map { record in
                var record = record
                (record.metric, record.model) = (.unidentified, "")
                return record
            }.merged()
        }
        batch.records = accepted
        guard !accepted.isEmpty else { return receipt }
        let isNew = try await outcomes.inTurn(of: project.id) { [batch] in
            try await metadata.add(batch, to: project.id, at: now())
        }
        return isNew ? receipt : OutcomeReceipt(accepted: 0, ignored: receipt.ignored, repeated: true)
    }

    private func takes(_ record: OutcomeBatch.Record, in experiment: Experiment, by reporter: Reporter) -> Bool {
        if let stopTime = experiment.stopTime, stopTime.advanced(by: Self.reportGracePeriod) < now() { return false }
        guard experiment.variants.contains(where: { $0.id == record.variant }) else { return false }
        guard case .installation(let installation) = reporter else { return true }
        return CompiledAssignment.variant(of: installation.fid, in: experiment)?.id == record.variant
    }

    /// An experiment's variants side by side.
    public func outcome(of id: String, by caller: Caller) async throws -> ExperimentOutcome {
        let experiment = try await experiment(id, by: caller)
        return ExperimentOutcome(experiment, try await metadata.outcomes(of: id, of: caller.project.id))
    }
}
