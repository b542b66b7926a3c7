/// The labels of the objects of a stream, averaged over all classifications.
///
/// A label's confidence is a running mean: the n-th classification of an object has the weight 1/n, and a tenth at least, so
/// that recent classifications count more. A label that a classification does not have counts as zero.
struct LabelHistory: Sendable {
    private struct Entry {
        var labels: [Label] = []
        var classificationCount = 0
        /// When the object should be classified again.
        var nextTime = Duration.zero
    }

    private var entries: [Int: Entry] = [:]

    private static let smallestWeight: Float = 0.1
    /// Labels below this confidence are dropped: of a thousand classes most appear once.
    private static let smallestConfidence: Float = 0.005
    /// The time from the first classification of an object to the second; each later pause is twice as long.
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(8)

    /// Adds a classification of an object.
    ///
    /// - Parameter time: when; nil if the object is classified in every frame anyway.
    mutating func add(_ labels: [Label], to id: Int, at time: Duration? = nil) {
        var entry = entries[id] ?? Entry()
        entry.classificationCount += 1
        let weight = max(1 / Float(entry.classificationCount), Self.smallestWeight)
        for index in entry.labels.indices { entry.labels[index].confidence *= 1 - weight }
        for label in labels {
            if let known = entry.labels.firstIndex(where: { $0.index == label.index }) {
                entry.labels[known].confidence += weight * label.confidence
            } else {
                var label = label
                label.confidence *= weight
                entry.labels.append(label)
            }
        }
        entry.labels.removeAll { $0.confidence < Self.smallestConfidence }
        entry.labels.sort { $0.confidence == $1.confidence ? $0.index < $1.index : $0.confidence > $1.confidence }
        if let time {
            let doublings = min(entry.classificationCount - 1, 10)
            entry.nextTime = time + min(Self.firstPause * (1 << doublings), Self.longestPause)
        }
        entries[id] = entry
    }

    /// The labels of an object from some confidences on, most confident first.
    func labels(of id: Int, thresholds: ClassThresholds, maximumCount: Int) -> [Label] {
        Array((entries[id]?.labels ?? []).filter { $0.confidence >= thresholds[$0.index] }.prefix(maximumCount))
    }

    /// Whether an object was classified.
    func contains(_ id: Int) -> Bool { entries[id] != nil }

    /// The object that should be classified now: an object that was never classified, otherwise the object that waits longest.
    func mostUrgent(of ids: some Sequence<Int>, at time: Duration) -> Int? {
        var best: (id: Int, time: Duration)?
        for id in ids {
            guard let next = entries[id]?.nextTime else { return id }
            guard next <= time else { continue }
            if let best, best.time <= next { continue }
            best = (id, next)
        }
        return best?.id
    }

    /// Forgets all other objects.
    mutating func keep(_ ids: Set<Int>) {
        guard entries.count > ids.count || entries.keys.contains(where: { !ids.contains($0) }) else { return }
        entries = entries.filter { ids.contains($0.key) }
    }
}
