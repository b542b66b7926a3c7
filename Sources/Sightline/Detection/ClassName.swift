extension Label {
    /// The name, or the class number if the model has no names, for example `class 7`.
    package var className: String { text.isEmpty ? "class \(index)" : text }
}

extension DetectedObject {
    /// The name of the most confident label, or `object` if there are no labels.
    package var className: String { labels.first?.className ?? "object" }
}
