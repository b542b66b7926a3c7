/// Keeps the objects of a result that have certain labels and sizes.
public struct ObjectFilter: Sendable, Hashable {
    /// The labels of which an object's most confident one must be; nil for any, or none at all.
    public var labels: Set<String>?
    /// The areas that boxes may have, in square pixels; nil for any.
    public var area: ClosedRange<Double>?

    /// A filter by its conditions.
    public init(labels: Set<String>? = nil, area: ClosedRange<Double>? = nil) {
        self.labels = labels
        self.area = area
    }

    /// Whether an object passes.
    public func includes(_ object: TrackedObject) -> Bool {
        if let labels {
            guard let label = object.labels.first, labels.contains(label.text) else { return false }
        }
        return includes(object.frame)
    }

    /// The result without the objects that do not pass; boxes without an identity have no labels and are judged by
    /// their area alone.
    public func apply(to result: StreamResult) -> StreamResult {
        var kept = result
        kept.objects.removeAll { !includes($0) }
        kept.tentative.removeAll { !includes($0.frame) }
        return kept
    }

    private func includes(_ box: PixelRect) -> Bool {
        area?.contains(box.area) ?? true
    }
}
