/// Chooses objects by their names, where only a name tells what an object is.
struct WantedNames: Sendable {
    private let filter: LabelFilter

    /// - Returns: nil if the options permit all names.
    init?(_ options: ObjectDetectorOptions) {
        guard options.allowedLabels != nil || !options.deniedLabels.isEmpty else { return nil }
        filter = LabelFilter(
            thresholds: ClassThresholds(0),
            allowed: options.allowedLabels,
            denied: options.deniedLabels,
            maximumCount: .max
        )
    }

    /// The labels that the options permit; nil if the object is not wanted.
    func permitted(_ labels: [Label]) -> [Label]? {
        if let best = labels.first, filter.denied.contains(best.text) { return nil }
        let permitted = labels.filter { filter.permits($0.text) }
        return permitted.isEmpty && filter.allowed != nil ? nil : permitted
    }
}
