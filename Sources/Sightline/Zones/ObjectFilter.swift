/// Chooses objects by label and size, in pictures and in streams.
public struct ObjectFilter: Sendable, Hashable {
    /// The permitted labels: an object passes if its most confident label is among them. Nil permits all objects.
    public var labels: Set<String>?
    /// The permitted areas of boxes, in square pixels; nil permits all.
    public var area: ClosedRange<Double>?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - labels: the permitted labels; nil for all.
    ///   - area: the permitted areas in square pixels; nil for all.
    public init(labels: Set<String>? = nil, area: ClosedRange<Double>? = nil) {
        self.labels = labels
        self.area = area
    }

    /// Whether an object passes.
    public func includes(_ object: DetectedObject) -> Bool {
        if let labels {
            guard let label = object.labels.first, labels.contains(label.text) else { return false }
        }
        return area?.contains(object.frame.area) ?? true
    }

    /// Returns the objects that pass, in their order.
    public func apply(to objects: [DetectedObject]) -> [DetectedObject] { objects.filter(includes) }
}
