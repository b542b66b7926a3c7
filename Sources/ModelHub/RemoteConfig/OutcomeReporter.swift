import DurableFiles
import Foundation
import ModelHubProtocol

/// Reports the results of an experiment's variants to the hub: their number, their latency, and scores that the app
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
    private struct Key: Hashable, Codable {
        var experiment, variant, model: String
    }

    /// Sums of values.
    private struct Sums: Codable {
        var count = 0
        var sum = 0.0
        var squares = 0.0
        var histogram: [String: Int]?

        mutating func add(_ value: Double) {
            count += 1
            sum += value
            squares += value * value
        }
    }

    /// An outcome in the format of the hub's API.
    private struct Outcome: Codable {
        enum CodingKeys: String, CodingKey {
            case experiment = "experimentId"
            case variant = "variantId"
            case model, count, latency, scores
        }

        var experiment, variant, model: String
        var count = 0
        var latency: Sums?
        var scores: [String: Sums] = [:]

        /// The number of records that count toward a batch's limit: one for the number of results, one for the latency,
        /// and one for each score.
        var recordCount: Int { 1 + (latency == nil ? 0 : 1) + scores.count }
    }

    private struct Batch: Codable {
        var batchId: String
        var time: Date
        var outcomes: [Outcome]
    }

    private struct State: Codable {
        /// The outcomes that are still being summed up.
        var open: [Outcome] = []
        /// The batches to send, oldest first. Each keeps its id, so that the hub counts it once even if it arrives
        /// twice.
        var waiting: [Batch] = []
    }

    private struct Body: Encodable {
        var batchId: String
        var outcomes: [Outcome]
    }

    /// Limits of the client and of the hub.
    private enum Limits {
        static let outcomes = 50
        static let batches = 50
        /// The number of result counts, latencies and scores in a batch.
        static let records = 50
        static let scores = 20
        static let results = 1_000_000
        static let value = 1e9
        static let age = 7.0 * 24 * 3600
        /// The number of results that may be lost if the process is killed.
        static let unsaved = 50
    }

    private let client: HubClient
    private let retry: RetryPolicy
    private let file: URL
    private var open: [Key: Outcome]
    private var waiting: [Batch]
    private var unsaved = 0
    private let sending = SharedCall<Int, RemoteConfigError>()

    /// Creates a reporter for a manager's hub, which stores unsent results in the manager's folder.
    public init(manager: ModelManager) {
        client = manager.client
        retry = manager.retry
        file = manager.folder.appending(path: "outcomes.json")
        let state = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(State.self, from: $0) } ?? State()
        open = Dictionary(
            state.open.map { (Key(experiment: $0.experiment, variant: $0.variant, model: $0.model), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        waiting = state.waiting
    }

    /// Records a result.
    ///
    /// - Parameters:
    ///   - assignment: The experiment and the variant.
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
        guard open[key] != nil || open.count < Limits.outcomes else { return }
        var outcome =
            open[key] ?? Outcome(experiment: assignment.experimentID, variant: assignment.variantID, model: model)
        guard outcome.count < Limits.results else { return }
        outcome.count += 1
        if let latency {
            let milliseconds = min(max(latency / .milliseconds(1), 0), Limits.value)
            var sums = outcome.latency ?? Sums(histogram: [:])
            sums.add(milliseconds)
            sums.histogram?["\(Self.bucket(milliseconds))", default: 0] += 1
            outcome.latency = sums
        }
        for (name, value) in scores where value.isFinite && abs(value) <= Limits.value && Self.isScoreName(name) {
            guard outcome.scores[name] != nil || outcome.scores.count < Limits.scores else { continue }
            outcome.scores[name, default: Sums()].add(value)
        }
        open[key] = outcome
        unsaved += 1
        if unsaved >= Limits.unsaved { try? save() }
    }

    /// The number of results that are not sent yet.
    public var unsentCount: Int {
        open.values.reduce(0) { $0 + $1.count } + waiting.flatMap(\.outcomes).reduce(0) { $0 + $1.count }
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
        try await sending.result { () async throws(RemoteConfigError) in try await self.sendAll() }
    }

    /// Writes unsent results to disk. The reporter also does so by itself from time to time.
    ///
    /// - Throws: ``RemoteConfigError/fileAccess(path:reason:)``.
    public func save() throws(RemoteConfigError) {
        let state = State(open: Array(open.values), waiting: waiting)
        do throws(DurableFileError) {
            try DurableFile.makeFolder(file.deletingLastPathComponent())
            try DurableFile.write((try? JSONEncoder().encode(state)) ?? Data(), to: file)
        } catch { throw RemoteConfigError(error) }
        unsaved = 0
    }

    private func sendAll() async throws(RemoteConfigError) -> Int {
        waiting.removeAll { Date().timeIntervalSince($0.time) > Limits.age }
        waiting += batches(of: Array(open.values))
        open = [:]
        waiting.removeFirst(max(waiting.count - Limits.batches, 0))
        // A batch is stored under its id before it is sent, so that a crash cannot duplicate it.
        try save()
        var count = 0
        while let batch = waiting.first {
            do throws(HubFailure) {
                try await post(batch)
                count += batch.outcomes.reduce(0) { $0 + $1.count }
            } catch {
                // A batch that the hub will never accept must not block the others.
                guard case .refused(400, _, _) = error else {
                    throw RemoteConfigError(error, place: client.place)
                }
            }
            waiting.removeAll { $0.batchId == batch.batchId }
            try save()
        }
        return count
    }

    /// Divides outcomes into batches within the hub's limits.
    private func batches(of outcomes: [Outcome]) -> [Batch] {
        var batches: [Batch] = []
        var room = 0
        for outcome in outcomes {
            if outcome.recordCount > room {
                batches.append(Batch(batchId: UUID().uuidString, time: Date(), outcomes: []))
                room = Limits.records
            }
            batches[batches.count - 1].outcomes.append(outcome)
            room -= outcome.recordCount
        }
        return batches
    }

    /// Sends a batch, and repeats it while the hub asks for a delay.
    private func post(_ batch: Batch) async throws(HubFailure) {
        let body = Body(batchId: batch.batchId, outcomes: batch.outcomes)
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
