import Foundation
import ModelHub
import ModelHubProtocol
import Sightline
import Synchronization

/// A second model that answers a share of a model's requests, after the client has its answer. The second answer is compared and never
/// shown.
package final class ServedShadow: Sendable {
    /// The fate of a request that was drawn.
    package enum Outcome: String, CaseIterable, Sendable {
        /// Both models gave the same answer, or different ones.
        case same, different
        /// The shadow could not answer.
        case failed
        /// The shadow was skipped, because the server had other work, or others waited for the shadow already.
        case busy, full
    }

    /// The comparison of two versions.
    struct Comparison: Sendable {
        let served, candidate: AnswerModel
        var tally = ShadowTally()
    }

    /// The state for people and programs.
    struct Status: Sendable {
        /// The candidate; nil while there is none.
        var candidate: AnswerModel?
        var problem: String?
        var outcomes: [Outcome: Int]
        /// The comparisons of the latest versions, the latest first.
        var comparisons: [Comparison]
    }

    /// The part of the state that requests look at. The quiet thread holds its lock for a moment alone, so that no request waits for it.
    private struct Drawing {
        var candidate: LoadedModel?
        var sample: SampledShare
    }

    private struct State {
        var problem: String?
        var outcomes: [Outcome: Int] = [:]
        var comparisons: [Comparison] = []
        /// The last reason in the log.
        var logged: String?
    }

    /// The name of the model whose requests are answered again.
    package let model: String
    /// The shadow as the command line has it.
    package let source: String
    /// The share of requests, from 0 to 1.
    package let share: Double
    private let drawing: Mutex<Drawing>
    private let state = Mutex(State())
    private let lane = ShadowLane()
    private let gauges: ShadowMetrics
    private let metrics: AnswerMetrics
    private let reporter: OutcomeReporter?
    private let kept: KeptPictures?

    /// The number of pairs of versions whose counts are known.
    private static let comparisonLimit = 8
    /// The time for which a drawn request waits for a processor that has nothing else to do.
    private static let (pause, pauses) = (Duration.milliseconds(100), 20)

    /// - Parameters:
    ///   - model: The name of the model whose requests are answered again.
    ///   - source: The shadow as the command line has it.
    ///   - sample: The share of requests.
    ///   - reporter: Receives counts for the hub; nil unless both are versions of a hub's model.
    ///   - kept: Keeps pictures that differ.
    package init(
        of model: String,
        source: String,
        sample: SampledShare,
        metrics: AnswerMetrics,
        reporter: OutcomeReporter? = nil,
        kept: KeptPictures? = nil
    ) {
        (self.model, self.source, share) = (model, source, sample.share)
        (self.metrics, self.reporter, self.kept) = (metrics, reporter, kept)
        drawing = Mutex(Drawing(sample: sample))
        gauges = ShadowMetrics(of: model, in: metrics.server)
    }

    var status: Status {
        let candidate = drawing.withLock { $0.candidate?.version.model }
        return state.withLock { state in
            Status(
                candidate: candidate,
                problem: state.problem,
                outcomes: state.outcomes,
                comparisons: state.comparisons
            )
        }
    }

    /// Takes a model into use; nil for none.
    func use(_ candidate: LoadedModel?) {
        drawing.withLock { $0.candidate = candidate }
        gauges.isReady(candidate != nil)
        guard let candidate else { return }
        metrics.logger.info(
            "a shadow is in use",
            metadata: ["model": "\(model)", "shadow": "\(source)", "version": "\(candidate.version.model.version)"]
        )
    }

    /// Notes why the shadow, or its newest version, is not in use, with a line in the log if the reason is new.
    func note(_ problem: String?) {
        let isNew = state.withLock { state in
            state.problem = problem
            defer { state.logged = problem }
            return problem != nil && problem != state.logged
        }
        guard isNew, let problem else { return }
        metrics.logger.warning(
            "a shadow cannot be used",
            metadata: ["model": "\(model)", "shadow": "\(source)", "reason": "\(problem)"]
        )
    }

    /// Whether an answer shall be given a second time.
    func draws(_ answer: AnswerModel) -> Bool {
        drawing.withLock { drawing in
            guard let candidate = drawing.candidate, candidate.version.sha256 != answer.sha256 else { return false }
            return drawing.sample.draw()
        }
    }

    /// Answers a request again when there is time for it. Returns at once.
    ///
    /// - Parameter isBusy: Whether all processors have other work.
    func answer(_ given: GivenAnswer, limits: ImageLimits, unless isBusy: @escaping @Sendable () -> Bool) {
        let isTaken = lane.offer { [self] in
            var pauses = Self.pauses
            while isBusy() {
                guard pauses > 0 else { return count(.busy) }
                pauses -= 1
                try? await Task.sleep(for: Self.pause)
            }
            guard let candidate = drawing.withLock({ $0.candidate }), candidate.version.sha256 != given.model.sha256
            else { return }
            do {
                let second = try await given.repeated(by: candidate, limits: limits)
                guard let difference = given.results.difference(from: second) else { return }
                await compare(given, second, difference, candidate)
            } catch {
                count(.failed)
                metrics.report("a shadow failed", error)
            }
        }
        if !isTaken { count(.full) }
    }

    private func compare(
        _ given: GivenAnswer,
        _ second: GivenAnswer.Results,
        _ difference: AnswerDifference,
        _ candidate: LoadedModel
    ) async {
        let other = candidate.version.model
        let share = state.withLock { state in
            let place = state.comparisons.firstIndex { ($0.served, $0.candidate) == (given.model, other) }
            var comparison =
                place.map { state.comparisons.remove(at: $0) } ?? Comparison(served: given.model, candidate: other)
            comparison.tally.add(difference)
            state.comparisons.insert(comparison, at: 0)
            if state.comparisons.count > Self.comparisonLimit { state.comparisons.removeLast() }
            return comparison.tally.total
        }
        count(difference.isDifferent ? .different : .same)
        gauges.record(difference, DifferenceShare(count: share.count, different: share.different))
        await reporter?.record(
            difference,
            of: model,
            served: given.model.sha256,
            candidate: other.sha256
        )
        guard difference.isDifferent, let kept else { return }
        do throws(KeptPictures.Failure) {
            try kept.keep(given, second, by: other, weight: difference.weight)
        } catch {
            metrics.report("a picture could not be kept", error)
        }
    }

    private func count(_ outcome: Outcome) {
        state.withLock { $0.outcomes[outcome, default: 0] += 1 }
        gauges.count(outcome)
    }

    /// Sends the counts to the hub. What cannot be sent is kept for the next time.
    func send() async {
        guard let reporter, await reporter.unsentCount > 0 else { return }
        _ = try? await reporter.send()
    }

    /// Stores the counts that are not sent yet.
    func save() async { try? await reporter?.save() }
}
