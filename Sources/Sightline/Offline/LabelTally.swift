/// The labels of an object over all frames, so that it has the same name in each of them.
struct LabelTally: Sendable {
    private var sums: [Label] = []
    /// The number of frames with labels.
    private var count = 0
    /// The largest number of labels of one frame.
    private var most = 0

    /// Adds the labels of a frame.
    mutating func add(_ labels: [Label]) {
        guard !labels.isEmpty else { return }
        count += 1
        most = max(most, labels.count)
        for label in labels { add(label) }
    }

    /// Adds the labels of another part of the same object.
    mutating func add(_ other: LabelTally) {
        count += other.count
        most = max(most, other.most)
        for sum in other.sums { add(sum) }
    }

    private mutating func add(_ label: Label) {
        if let known = sums.firstIndex(where: { $0.index == label.index }) {
            sums[known].confidence += label.confidence
        } else {
            sums.append(label)
        }
    }

    /// The labels with their mean confidences, most confident first, as many as a frame has at most.
    var labels: [Label] {
        let means = sums.map { sum in
            var label = sum
            label.confidence /= Float(count)
            return label
        }
        let sorted = means.sorted {
            $0.confidence == $1.confidence ? $0.index < $1.index : $0.confidence > $1.confidence
        }
        return Array(sorted.prefix(most))
    }
}
