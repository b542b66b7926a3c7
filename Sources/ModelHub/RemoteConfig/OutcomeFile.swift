import DurableFiles
import Foundation
import ModelHubProtocol

/// The outcomes of an app that are not sent yet: the file `outcomes.json` in a manager's folder, which several
/// processes may use at the same time. Its numbers are added with `&+`, because a damaged file must not end the process.
struct OutcomeFile: Sendable {
    /// Sums of values.
    struct Sums: Codable, Sendable {
        var count = 0
        var sum = 0.0
        var squares = 0.0
        var histogram: [String: Int]?

        mutating func add(_ value: Double) {
            count += 1
            sum += value
            squares += value * value
        }

        fileprivate mutating func add(_ other: Sums) {
            count &+= other.count
            sum += other.sum
            squares += other.squares
            if let more = other.histogram { histogram = (histogram ?? [:]).merging(more, uniquingKeysWith: &+) }
        }
    }

    /// An outcome in the format of the hub's API.
    struct Outcome: Codable, Sendable {
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
        fileprivate var recordCount: Int { 1 + (latency == nil ? 0 : 1) + scores.count }

        fileprivate func isOfSameModel(as other: Outcome) -> Bool {
            (experiment, variant, model) == (other.experiment, other.variant, other.model)
        }

        mutating func add(_ other: Outcome) {
            count &+= other.count
            if let more = other.latency {
                var sums = latency ?? Sums()
                sums.add(more)
                latency = sums
            }
            for (name, more) in other.scores where scores[name] != nil || scores.count < Limits.scores {
                scores[name, default: Sums()].add(more)
            }
        }
    }

    struct Batch: Codable, Sendable {
        var batchId: String
        var time: Date
        var outcomes: [Outcome]
        /// The comparisons of two versions' answers. They are in batches of their own, because earlier hubs refuse them.
        var shadows: [ShadowOutcome]?

        /// The number of results.
        var count: Int {
            outcomes.reduce(0) { $0 &+ $1.count } &+ (shadows ?? []).reduce(0) { $0 &+ $1.count }
        }
    }

    struct State: Codable, Sendable {
        /// The outcomes that are still being summed up.
        var open: [Outcome] = []
        /// The batches to send, oldest first. Each keeps its id, so that the hub counts it once even if it arrives
        /// twice.
        var waiting: [Batch] = []
        /// The comparisons that are still being summed up.
        var shadows: [ShadowOutcome]?

        /// The number of results.
        var count: Int {
            open.reduce(0) { $0 &+ $1.count } &+ waiting.reduce(0) { $0 &+ $1.count }
                &+ (shadows ?? []).reduce(0) { $0 &+ $1.count }
        }

        /// Adds comparisons to those of the same versions.
        mutating func add(_ shadow: ShadowOutcome) {
            var all = shadows ?? []
            if let index = all.firstIndex(where: { $0.isOfSameVersions(as: shadow) }) {
                all[index].add(shadow)
            } else if all.count < ShadowOutcome.Limits.shadows {
                all.append(shadow)
            }
            shadows = all
        }

        /// Adds results to those of the same variant and model.
        mutating func add(_ outcome: Outcome) {
            guard let index = open.firstIndex(where: { $0.isOfSameModel(as: outcome) }) else {
                if open.count < Limits.outcomes { open.append(outcome) }
                return
            }
            if open[index].count &+ outcome.count <= Limits.results { open[index].add(outcome) }
        }

        /// Divides the open outcomes into batches within the hub's limits, and drops batches that are too old or too
        /// many.
        mutating func close() {
            waiting.removeAll { Date().timeIntervalSince($0.time) > Limits.age }
            var room = 0
            for outcome in open {
                if outcome.recordCount > room {
                    waiting.append(Batch(batchId: UUID().uuidString, time: Date(), outcomes: []))
                    room = Limits.records
                }
                waiting[waiting.count - 1].outcomes.append(outcome)
                room -= outcome.recordCount
            }
            open = []
            for part in (shadows ?? []).flatMap(\.parts) {
                waiting.append(Batch(batchId: UUID().uuidString, time: Date(), outcomes: [], shadows: [part]))
            }
            shadows = nil
            waiting.removeFirst(max(waiting.count - Limits.batches, 0))
        }
    }

    /// Limits of the client and of the hub.
    enum Limits {
        static let outcomes = 50
        static let batches = 50
        /// The number of result counts, latencies and scores in a batch.
        static let records = 50
        static let scores = 20
        static let results = 1_000_000
        static let value = 1e9
        static let age = 7.0 * 24 * 3600
    }

    private let folder: URL
    private let queue = FileQueue()

    private var file: URL { folder.appending(path: "outcomes.json") }

    init(folder: URL) { self.folder = folder }

    /// The stored state, which is empty if the file is missing or damaged.
    private var state: State {
        guard let data = try? Data(contentsOf: file) else { return State() }
        return (try? JSONDecoder().decode(State.self, from: data)) ?? State()
    }

    /// Reads the stored state, after all earlier changes.
    func read() async -> State { await queue.run { state } }

    /// Changes the stored state, after all earlier changes, and replaces the file as a whole.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout State) -> Value
    ) async throws(DurableFileError) -> Value {
        try await queue.run { () throws(DurableFileError) in
            try DurableFile.makeFolder(folder)
            return try FileLock.taken(DownloadedModels.lock(of: folder)).whileHeld { () throws(DurableFileError) in
                var state = state
                let value = body(&state)
                // The state contains only texts and finite numbers, so encoding it as JSON cannot fail.
                try DurableFile.write((try? JSONEncoder().encode(state)) ?? Data(), to: file)
                return value
            }
        }
    }
}

extension ShadowOutcome {
    /// The number of labels that are summed up on a device.
    private static let labelLimit = 1000

    fileprivate func isOfSameVersions(as other: ShadowOutcome) -> Bool {
        (model, served, candidate) == (other.model, other.served, other.candidate)
    }

    /// Adds the sums of other comparisons.
    mutating func add(_ other: ShadowOutcome) {
        guard count &+ other.count <= Limits.count else { return }
        count &+= other.count
        different &+= other.different
        var places = Dictionary(labels.enumerated().map { ($1.label, $0) }, uniquingKeysWith: { first, _ in first })
        for label in other.labels {
            if let place = places[label.label] {
                labels[place].count &+= label.count
                labels[place].different &+= label.different
            } else if labels.count < Self.labelLimit {
                places[label.label] = labels.count
                labels.append(label)
            }
        }
    }

    /// The sums in parts within the hub's limits.
    fileprivate var parts: [ShadowOutcome] {
        var rest = labels[...]
        var part = self
        var parts: [ShadowOutcome] = []
        repeat {
            part.labels = Array(rest.prefix(Limits.labels))
            rest = rest.dropFirst(Limits.labels)
            parts.append(part)
            (part.count, part.different) = (0, 0)
        } while !rest.isEmpty
        return parts
    }
}
