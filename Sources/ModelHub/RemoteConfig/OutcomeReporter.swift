import Foundation

/// Tells the hub how the variants of an experiment do: how many results, how fast, and how good by a score of the app.
///
/// ```swift
/// let current = labeler.current
/// if let assignment = current.assignment, let name = current.name {
///     await reporter.record(assignment, model: name, latency: duration, scores: ["accepted": userAgreed ? 1 : 0])
/// }
/// try await reporter.send()
/// ```
///
/// Only sums leave the device. What could not be sent is kept on the disk and sent later, for a week; the hub counts nothing
/// twice.
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

    /// An outcome as the hub's API takes it.
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

        /// How much of a batch's limit the outcome takes: one for the number of results, one for the latency, and one for each score.
        var recordCount: Int { 1 + (latency == nil ? 0 : 1) + scores.count }
    }

    private struct Batch: Codable {
        var batchId: String
        var time: Date
        var outcomes: [Outcome]
    }

    private struct State: Codable {
        /// What is being summed up.
        var open: [Outcome] = []
        /// What waits to be sent, oldest first. Its id stays, so that it counts once however often it is sent.
        var waiting: [Batch] = []
    }

    private struct Body: Encodable {
        var batchId: String
        var outcomes: [Outcome]
    }

    /// What there may be, here and at the hub.
    private enum Limits {
        static let outcomes = 50
        static let batches = 50
        /// Numbers of results, latencies and scores in a batch.
        static let records = 50
        static let scores = 20
        static let results = 1_000_000
        static let value = 1e9
        static let age = 7.0 * 24 * 3600
        /// How many results a kill may cost.
        static let unsaved = 50
    }

    private let client: HubClient
    private let retry: RetryPolicy
    private let file: URL
    private var open: [Key: Outcome]
    private var waiting: [Batch]
    private var unsaved = 0
    private var running: Task<Result<Int, RemoteConfigError>, Never>?

    /// A reporter to a manager's hub, which keeps what is unsent in the manager's folder.
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

    /// Counts a result.
    ///
    /// - Parameters:
    ///   - assignment: the experiment and the variant.
    ///   - model: the name of the model that gave the result.
    ///   - latency: how long it took.
    ///   - scores: what the app gives it, by names of up to 40 letters, digits and underscores; more is better. Numbers that are
    ///     not finite or beyond ±10⁹ are left out.
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

    /// How many results are not sent yet.
    public var unsentCount: Int {
        open.values.reduce(0) { $0 + $1.count } + waiting.flatMap(\.outcomes).reduce(0) { $0 + $1.count }
    }

    /// Sends what there is; gives how many results the hub has taken. Calls at one time share the work.
    ///
    /// The hub takes a batch a second of each installation. When it asks to wait, this waits and tries again, as often as the
    /// manager's retry policy says.
    ///
    /// - Throws: ``RemoteConfigError``; what was not sent stays for the next time.
    @discardableResult
    public func send() async throws(RemoteConfigError) -> Int {
        if let running { return try await running.value.get() }
        let task = Task {
            do throws(RemoteConfigError) {
                return Result<Int, RemoteConfigError>.success(try await sendAll())
            } catch {
                return .failure(error)
            }
        }
        running = task
        let result = await task.value
        running = nil
        return try result.get()
    }

    /// Writes what is not sent to the disk; results are also written from time to time by themselves.
    ///
    /// - Throws: ``RemoteConfigError/fileAccess(path:reason:)``.
    public func save() throws(RemoteConfigError) {
        let state = State(open: Array(open.values), waiting: waiting)
        do throws(DownloadError) {
            try StoreFile.makeFolder(file.deletingLastPathComponent())
            try StoreFile.replace(file, with: (try? JSONEncoder().encode(state)) ?? Data())
        } catch { throw RemoteConfigError(error) }
        unsaved = 0
    }

    private func sendAll() async throws(RemoteConfigError) -> Int {
        waiting.removeAll { Date().timeIntervalSince($0.time) > Limits.age }
        waiting += batches(of: Array(open.values))
        open = [:]
        waiting.removeFirst(max(waiting.count - Limits.batches, 0))
        // Before it is sent it lies on the disk under its id: a kill cannot make two of one.
        try save()
        var count = 0
        while let batch = waiting.first {
            do throws(HubClient.Failure) {
                try await post(batch)
                count += batch.outcomes.reduce(0) { $0 + $1.count }
            } catch {
                // One that the hub will never take must not keep back the others.
                guard case .lasting(.invalidArgument) = error else { throw RemoteConfigError(error) }
            }
            waiting.removeAll { $0.batchId == batch.batchId }
            try save()
        }
        return count
    }

    /// Divides outcomes into batches that the hub takes.
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

    /// Sends a batch, and again while the hub asks to wait.
    private func post(_ batch: Batch) async throws(HubClient.Failure) {
        let body = Body(batchId: batch.batchId, outcomes: batch.outcomes)
        let json = (try? JSONEncoder().encode(body)) ?? Data()
        for attempt in 1... {
            do throws(HubClient.Failure) {
                _ = try await client.post("/hub/v1/projects/\(client.project)/outcomes", json, registers: true)
                return
            } catch {
                guard case .passing(.resourceExhausted, let wait) = error, attempt < retry.tries else { throw error }
                let pause = retry.pause(after: attempt, retryAfter: wait, random: .random(in: 0...1))
                do { try await Task.sleep(for: pause) } catch { throw .lasting(.cancelled(model: "")) }
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
