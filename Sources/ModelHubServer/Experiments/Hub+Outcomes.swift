import Foundation

extension Hub {
    /// How long after its end an experiment takes reports; apps send what they could not send at once.
    private static let reportGracePeriod = Duration.seconds(7 * 24 * 3600)

    /// What became of a batch.
    struct OutcomeReceipt: Sendable, Hashable, Encodable {
        /// How many outcomes were added.
        var accepted: Int
        /// How many were not: of experiments or variants that are not, or not of this installation's variant.
        var ignored: Int
        /// Whether the batch had come before, so that nothing was added.
        var repeated: Bool
    }

    /// Adds what an app reports. A batch that comes again is not added again.
    func add(_ batch: OutcomeBatch, of installation: Installation?, to project: Project) async throws -> OutcomeReceipt
    {
        var batch = batch
        var receipt = OutcomeReceipt(accepted: 0, ignored: 0, repeated: false)
        var known: [String: Experiment?] = [:]
        var accepted: [OutcomeBatch.Record] = []
        for record in batch.records {
            if known[record.experiment] == nil {
                known[record.experiment] = .some(try await metadata.experiment(record.experiment, of: project.id))
            }
            let isTaken =
                known[record.experiment].flatMap(\.self).map { takes(record, in: $0, of: installation) } ?? false
            if isTaken { accepted.append(record) }
            if record.metric == .results {
                if isTaken { receipt.accepted += 1 } else { receipt.ignored += 1 }
            }
        }
        batch.records = accepted
        guard !accepted.isEmpty else { return receipt }
        if try await !metadata.add(batch, to: project.id, at: now()) {
            return OutcomeReceipt(accepted: 0, ignored: receipt.ignored, repeated: true)
        }
        return receipt
    }

    /// An installation speaks for the variant that it gets, and for no other.
    private func takes(_ record: OutcomeBatch.Record, in experiment: Experiment, of installation: Installation?) -> Bool
    {
        if let stopTime = experiment.stopTime, stopTime.advanced(by: Self.reportGracePeriod) < now() { return false }
        guard experiment.variants.contains(where: { $0.id == record.variant }) else { return false }
        guard let installation else { return true }
        return CompiledAssignment.variant(of: installation.fid, in: experiment)?.id == record.variant
    }

    /// An experiment's variants side by side.
    public func outcome(of id: String, by caller: Caller) async throws -> ExperimentOutcome {
        let experiment = try await experiment(id, by: caller)
        return ExperimentOutcome(experiment, try await metadata.outcomes(of: id, of: caller.project.id))
    }
}
