import Sightline
import TextFormatting

/// Counts how often two models find the same things.
struct PairAgreement {
    /// Boxes of one object overlap by at least this IoU.
    private static let minimumOverlap = 0.5

    /// The number of objects or best labels of each model.
    private(set) var findings = [0, 0]
    /// The number of those that the other model also finds.
    private(set) var shared = 0
    private(set) var pictures = 0
    /// The processing time of each model.
    private var time = [Duration.zero, .zero]

    /// Compares the objects of a picture. Two boxes are the same object if their best labels are equal, or a model gives no labels, and
    /// they overlap; each box has at most one partner, and the best overlaps come first.
    mutating func count(_ first: DetectionResult, _ second: DetectionResult) {
        var pairs: [(overlap: Double, first: Int, second: Int)] = []
        for (i, one) in first.objects.enumerated() {
            for (j, other) in second.objects.enumerated() where Self.haveSameLabel(one, other) {
                let overlap = one.frame.iou(other.frame)
                if overlap >= Self.minimumOverlap { pairs.append((overlap, i, j)) }
            }
        }
        var (taken, others): (Set<Int>, Set<Int>) = ([], [])
        for pair in pairs.sorted(by: { $0.overlap > $1.overlap })
        where !taken.contains(pair.first) && !others.contains(pair.second) {
            taken.insert(pair.first)
            others.insert(pair.second)
        }
        add([first.objects.count, second.objects.count], shared: taken.count, [first.timings, second.timings])
    }

    /// Compares the best labels of a picture.
    mutating func count(_ first: LabelingResult, _ second: LabelingResult) {
        let isSame = first.labels.first.map { one in
            second.labels.first.map { Self.isSame(one, $0) } ?? false
        }
        add(
            [min(first.labels.count, 1), min(second.labels.count, 1)],
            shared: isSame == true ? 1 : 0,
            [first.timings, second.timings]
        )
    }

    private mutating func add(_ counts: [Int], shared count: Int, _ timings: [StageTimings]) {
        pictures += 1
        shared += count
        for model in 0...1 {
            findings[model] += counts[model]
            time[model] += timings[model].total
        }
    }

    /// The mean processing time of a picture in milliseconds.
    func milliseconds(of model: Int) -> Double { time[model].seconds * 1000 / Double(max(pictures, 1)) }

    private static func haveSameLabel(_ one: DetectedObject, _ other: DetectedObject) -> Bool {
        guard let label = one.labels.first, let second = other.labels.first else { return true }
        return isSame(label, second)
    }

    /// Whether two labels have the same name, or the same number if a model has no names.
    private static func isSame(_ one: Label, _ other: Label) -> Bool {
        one.text.isEmpty || other.text.isEmpty
            ? one.index == other.index : one.text.lowercased() == other.text.lowercased()
    }
}
