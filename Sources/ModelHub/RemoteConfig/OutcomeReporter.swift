import DurableFiles
import Foundation
import ModelHubProtocol

/// Reports the results of an experiment's variants, or of a rollout's versions, to the hub: their number, their latency, and scores that the app
/// defines.
///
/// ```swift
/// let current = labeler.current
/// if let assignment = current.assignment, let name = current.name {
///     await reporter.record(assignment, model: name, latency: duration, scores: ["accepted": userAgreed ? 1 : 0])
/// }
/// try await reporter.send()
/// ```
///
/// Only sums leave the device. Unsent sums are stored on disk and sent later, for up to a week; the hub counts each of
/// them once.
public actor OutcomeReporter {
    private typealias Outcome = OutcomeFile.Outcome
    private typealias Batch = OutcomeFile.Batch
    private typealias Limits = OutcomeFile.Limits

    private struct Key: Hashable {
        var experiment, variant, model: String
    }

    private struct Body: Encodable {
        var batchId: String
        var outcomes: [Outcome]
        var shadows: [ShadowOutcome]?
    }

    private struct Versions: Hashable {
        var model, served, candidate: String
    }

    /// The number of results that may be lost if the process is killed.
    private static let unsavedLimit = 50

    private let client: HubClient
    private let retry: RetryPolicy
    private let file: OutcomeFile
    /// The results that are not in the file yet.
    private var recorded: [Key: Outcome] = [:]
    /// The comparisons that are not in the file yet.
    private var compared: [Versions: ShadowOutcome] = [:]
    private var unsaved = 0
    private let sending = SharedCall<String, Int, RemoteConfigError>()

    /// Creates a reporter for a manager's hub, which stores unsent results in the manager's folder.
    public init(manager: ModelManager) {
        client = manager.client
        retry = manager.retry
        file = OutcomeFile(folder: manager.folder)
    }

    /// Records a result.
    ///
    /// - Parameters:
    ///   - assignment: The experiment and the variant, or the rollout and the group.
    ///   - model: The name of the model that produced the result.
    ///   - latency: The duration of the inference.
    ///   - scores: Scores by name; names have up to 40 letters, digits and underscores, and higher scores are better.
    ///     Scores that are not finite or beyond ±10⁹ are ignored.
    public func record(
        _ assignment: ExperimentAssignment,
        model: String,
        latency: Duration? = nil,
        scores: [String: Double] = [:]
    ) {
        let key = Key(experiment: assignment.experimentID, variant: assignment.variantID, model: model)
        guard recorded[key] != nil || recorded.count < Limits.outcomes else { return }
        var outcome =
            recorded[key] ?? Outcome(experiment: assignment.experimentID, variant: assignment.variantID, model: model)
        guard outcome.count < Limits.results else { return }
        outcome.count += 1
        if let latency {
            let milliseconds = min(max(latency / .milliseconds(1), 0), Limits.value)
            var sums = outcome.latency ?? OutcomeFile.Sums(histogram: [:])
            sums.add(milliseconds)
            sums.histogram?["\(Self.bucket(milliseconds))", default: 0] += 1
            outcome.latency = sums
        }
        var scores = scores
        // The results of a rollout, which changes no parameters, count as failed or not failed.
        if assignment.parameters.isEmpty, scores[Self.failures] == nil { scores[Self.failures] = 0 }
        for (name, value) in scores where value.isFinite && abs(value) <= Limits.value && Self.isScoreName(name) {
            guard outcome.scores[name] != nil || outcome.scores.count < Limits.scores else { continue }
            outcome.scores[name, default: OutcomeFile.Sums()].add(value)
        }
        recorded[key] = outcome
        countUnsaved()
    }

    /// Records the comparison of two versions' answers.
    ///
    /// - Parameters:
    ///   - difference: The difference between the answers.
    ///   - model: The name of the model.
    ///   - served: The SHA-256 of the version that answered.
    ///   - candidate: The SHA-256 of the version that answered unseen.
    package func record(_ difference: AnswerDifference, of model: String, served: String, candidate: String) {
        let key = Versions(model: model, served: served, candidate: candidate)
        guard compared[key] != nil || compared.count < ShadowOutcome.Limits.shadows else { return }
        let outcome = ShadowOutcome(
            model: model,
            served: served,
            candidate: candidate,
            count: 1,
            different: difference.isDifferent ? 1 : 0,
            labels: difference.labels.map { .init(label: $0, count: 1, different: $1 ? 1 : 0) }
        )
        compared[key]?.add(outcome)
        if compared[key] == nil { compared[key] = outcome }
        countUnsaved()
    }

    private func countUnsaved() {
        unsaved += 1
        guard unsaved >= Self.unsavedLimit else { return }
        unsaved = 0
        Task { try? await save() }
    }

    /// Records a result that failed, for example because the model could not be run: the score `failures` is 1, and it is 0 for each result
    /// of ``record(_:model:latency:scores:)`` in a rollout.
    ///
    /// - Parameters:
    ///   - assignment: The rollout and the group, or the experiment and the variant.
    ///   - model: The name of the model that should have produced the result.
    public func recordFailure(_ assignment: ExperimentAssignment, model: String) {
        record(assignment, model: model, scores: [Self.failures: 1])
    }

    /// The score that a rollout's guard `failures` watches.
    private static let failures = "failures"

    /// The number of results in the manager's folder and in this reporter that are not sent yet.
    public var unsentCount: Int {
        get async {
            let stored = await file.read().count
            return stored + recorded.values.reduce(0) { $0 + $1.count } + compared.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Sends the recorded results; returns the number of results that the hub accepted. Simultaneous calls share the
    /// work.
    ///
    /// The hub accepts one batch per second from each installation. If it asks for a delay, this method waits and tries
    /// again, as often as the manager's retry policy allows.
    ///
    /// - Throws: ``RemoteConfigError``; unsent results are kept for the next call.
    @discardableResult
    public func send() async throws(RemoteConfigError) -> Int {
        try await sending.result(for: client.project) { () async throws(RemoteConfigError) in try await self.sendAll() }
    }

    /// Writes unsent results to disk. The reporter also does so automatically from time to time.
    ///
    /// - Throws: ``RemoteConfigError/fileAccess(path:reason:)``.
    public func save() async throws(RemoteConfigError) { try await change { _ in } }

    /// Adds the recorded results to the file, and changes it.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout OutcomeFile.State) -> Value
    ) async throws(RemoteConfigError) -> Value {
        let (new, shadows) = (recorded, compared)
        (recorded, compared, unsaved) = ([:], [:], 0)
        do throws(DurableFileError) {
            return try await file.change { state in
                for outcome in new.values { state.add(outcome) }
                for shadow in shadows.values { state.add(shadow) }
                return body(&state)
            }
        } catch {
            // Kept for the next attempt.
            for (key, outcome) in new {
                var all = recorded[key] ?? Outcome(experiment: key.experiment, variant: key.variant, model: key.model)
                all.add(outcome)
                recorded[key] = all
            }
            for (key, var shadow) in shadows {
                if let later = compared[key] { shadow.add(later) }
                compared[key] = shadow
            }
            throw RemoteConfigError(error)
        }
    }

    private func sendAll() async throws(RemoteConfigError) -> Int {
        // A batch is stored under its id before it is sent, so that a crash cannot duplicate it.
        let waiting = try await change { state in
            state.close()
            return state.waiting
        }
        var count = 0
        for batch in waiting {
            do throws(HubFailure) {
                try await post(batch)
                count += batch.count
            } catch {
                // A batch that the hub will never accept must not block the others.
                guard case .refused(400, _, _) = error else {
                    throw RemoteConfigError(error, place: client.place)
                }
            }
            try await change { state in state.waiting.removeAll { $0.batchId == batch.batchId } }
        }
        return count
    }

    /// Sends a batch, and repeats it while the hub asks for a delay.
    private func post(_ batch: Batch) async throws(HubFailure) {
        let body = Body(batchId: batch.batchId, outcomes: batch.outcomes, shadows: batch.shadows)
        let json = (try? JSONEncoder().encode(body)) ?? Data()
        var attempts = Attempts(retry)
        while true {
            do throws(HubFailure) {
                _ = try await client.post("/hub/v1/projects/\(client.project)/outcomes", json, registers: true)
                return
            } catch {
                guard case .refused(429, _, _) = error else { throw error }
                try await attempts.pause(after: error)
            }
        }
    }

    /// The hub's buckets: number i begins at 0.1 ms · 2^(i/8).
    private static func bucket(_ milliseconds: Double) -> Int {
        milliseconds > 0.1 ? min(Int(log2(milliseconds / 0.1) * 8), 159) : 0
    }

    private static func isScoreName(_ name: String) -> Bool {
        (1...40).contains(name.utf8.count) && name.utf8.first.map { !(48...57).contains($0) } == true
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
            }
    }
}
