import ModelHubProtocol
import Sightline

/// The difference between the answers of two models to one picture.
package struct AnswerDifference: Sendable, Hashable {
    /// Whether the answers differ.
    package private(set) var isDifferent = false
    /// The labels in the answers, and whether the answers differ on each.
    package private(set) var labels: [String: Bool] = [:]
    /// The weight of the difference: the confidences of what only one of the answers has, in total. 0 for equal answers.
    package private(set) var weight = 0.0

    /// The label of an answer without any.
    package static let nothing = "(nothing)"
    /// The least overlap, as IoU, of two boxes of the same object.
    private static let minimumOverlap = 0.5

    /// Compares the labels of a picture. They differ if the most confident one does; the picture counts for the first answer's label.
    package init(_ served: [Label], _ candidate: [Label]) {
        let (first, second) = (served.first, candidate.first)
        isDifferent = first.map(Self.name) != second.map(Self.name)
        labels = [first.map(Self.name) ?? Self.nothing: isDifferent]
        if isDifferent { weight = [first, second].compactMap { $0 }.reduce(0) { $0 + Double($1.confidence) } }
    }

    /// Compares the objects in a picture. They differ if an object of either answer has no partner in the other: one of the same label whose
    /// box overlaps by an IoU of at least 0.5. The picture counts for each label of the objects.
    package init(_ served: [DetectedObject], _ candidate: [DetectedObject]) {
        var others = candidate.sorted { $0.confidence > $1.confidence }
        for object in served.sorted(by: { $0.confidence > $1.confidence }) {
            let name = Self.name(of: object)
            let partners = others.indices.lazy
                .filter { Self.name(of: others[$0]) == name }
                .map { (place: $0, overlap: object.frame.iou(others[$0].frame)) }
                .filter { $0.overlap >= Self.minimumOverlap }
            if let partner = partners.max(by: { $0.overlap < $1.overlap }) {
                others.remove(at: partner.place)
                note(name, nil)
            } else {
                note(name, object)
            }
        }
        for object in others { note(Self.name(of: object), object) }
        if served.isEmpty, candidate.isEmpty { labels = [Self.nothing: false] }
    }

    /// Counts an object, which the other answer lacks if it is given.
    private mutating func note(_ name: String, _ lonely: DetectedObject?) {
        labels[name] = (labels[name] ?? false) || lonely != nil
        guard let lonely else { return }
        isDifferent = true
        weight += Double(lonely.confidence)
    }

    private static func name(of object: DetectedObject) -> String { object.labels.first.map(name) ?? "object" }

    /// The label's text, cut to the length that a hub takes.
    private static func name(_ label: Label) -> String {
        guard !label.text.isEmpty else { return "class \(label.index)" }
        guard label.text.utf8.count > ShadowOutcome.Limits.labelLength else { return label.text }
        var text = label.text
        while text.utf8.count > ShadowOutcome.Limits.labelLength { text.unicodeScalars.removeLast() }
        return text
    }
}

/// Counts of answers that were compared.
package struct ShadowTally: Sendable, Hashable {
    /// The answers with a label.
    package struct Part: Sendable, Hashable {
        package var count = 0
        package var different = 0
    }

    /// The number of compared answers, and of those that differ.
    package private(set) var total = Part()
    /// The same by label, for the first 1,000 labels.
    package private(set) var labels: [String: Part] = [:]

    /// The number of labels that are counted.
    package static let labelLimit = 1000

    /// Creates counts that begin with 0.
    package init() {}

    /// Adds a comparison.
    package mutating func add(_ difference: AnswerDifference) {
        total.count += 1
        if difference.isDifferent { total.different += 1 }
        for (label, isDifferent) in difference.labels where labels[label] != nil || labels.count < Self.labelLimit {
            labels[label, default: Part()].count += 1
            if isDifferent { labels[label, default: Part()].different += 1 }
        }
    }
}
