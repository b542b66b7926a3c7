/// What objects of a stream are, by all that was seen of them so far.
///
/// A label's confidence is the mean of what was said of the object so far, in which later sayings count more: each new one
/// counts as one of all, and as a tenth at least. A label that is not said counts as zero.
struct LabelMemory: Sendable {
    private struct Entry {
        var labels: [Label] = []
        var sayings = 0
        /// When the object should be looked at again.
        var nextLook = Duration.zero
    }

    private var entries: [Int: Entry] = [:]

    private static let smallestWeight: Float = 0.1
    /// Labels below this are forgotten: of a thousand classes most are said once.
    private static let smallestConfidence: Float = 0.005
    /// When an object is looked at for the second time, after the first; later ones follow at twice the distance each.
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(8)

    /// Adds what was said of an object.
    ///
    /// - Parameter time: when; nil if the object is said to be something in every frame anyway.
    mutating func add(_ said: [Label], to id: Int, at time: Duration? = nil) {
        var entry = entries[id] ?? Entry()
        entry.sayings += 1
        let weight = max(1 / Float(entry.sayings), Self.smallestWeight)
        for index in entry.labels.indices { entry.labels[index].confidence *= 1 - weight }
        for label in said {
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
            let doublings = min(entry.sayings - 1, 10)
            entry.nextLook = time + min(Self.firstPause * (1 << doublings), Self.longestPause)
        }
        entries[id] = entry
    }

    /// The labels of an object that are sure enough, the most confident first.
    func labels(of id: Int, threshold: Float, maximumCount: Int) -> [Label] {
        Array((entries[id]?.labels ?? []).prefix(maximumCount).prefix { $0.confidence >= threshold })
    }

    /// Whether anything was said of an object.
    func knows(_ id: Int) -> Bool { entries[id] != nil }

    /// Which of some objects should be looked at now: first those that were not yet, then the one that waits longest.
    func mostUrgent(of ids: some Sequence<Int>, at time: Duration) -> Int? {
        var best: (id: Int, look: Duration?)?
        for id in ids {
            guard let look = entries[id]?.nextLook else { return id }
            guard look <= time else { continue }
            if let known = best?.look, known <= look { continue }
            best = (id, look)
        }
        return best?.id
    }

    /// Forgets all other objects.
    mutating func keep(_ ids: Set<Int>) {
        guard entries.count > ids.count || entries.keys.contains(where: { !ids.contains($0) }) else { return }
        entries = entries.filter { ids.contains($0.key) }
    }
}
