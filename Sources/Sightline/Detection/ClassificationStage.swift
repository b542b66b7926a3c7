/// The second stage: names objects by running a classifier on each one's part of the picture.
struct ClassificationStage: Sendable {
    let classifier: Classifier
    private let filter: LabelFilter
    private let fit: ImageFit
    /// Which names an object may have; nil where the detector's own classes decide which objects are wanted.
    private let wanted: LabelFilter?

    /// - Parameter choosesObjects: whether the allowed and denied labels of the options are this classifier's, since the
    ///   detector has no classes.
    init(classifier: Classifier, options: ObjectDetectorOptions, choosesObjects: Bool) {
        self.classifier = classifier
        wanted =
            choosesObjects && !(options.allowedLabels == nil && options.deniedLabels.isEmpty)
            ? LabelFilter(
                threshold: 0,
                allowed: options.allowedLabels,
                denied: options.deniedLabels,
                maximumCount: .max
            ) : nil
        filter = LabelFilter(
            threshold: classifier.threshold(explicit: options.classificationThreshold),
            allowed: nil,
            denied: [],
            maximumCount: options.maximumLabelsPerObject > 0
                ? options.maximumLabelsPerObject : ObjectDetectorOptions.defaultMaximumLabelsPerObject
        )
        // An object fills its box, so nothing of it may be cut off.
        fit = classifier.fit(preferred: .stretch)
    }

    /// Sets the labels of objects.
    ///
    /// Objects that fill much of the picture are taken from what the detector saw. A localizer is content with a small
    /// picture, a classifier of small objects is not: for those, the picture is decoded once more, at the scale that the
    /// smallest of them needs.
    ///
    /// - Parameter picture: the picture as it was decoded for the detector.
    func label(
        _ objects: inout [DetectedObject],
        in image: VisionImage,
        decoded picture: DecodedImage,
        with runner: inout ModelRunner,
        clock: inout StageClock
    ) throws {
        guard !objects.isEmpty else { return }
        let placements = objects.map { Placement($0.frame, into: classifier.input.format.size, fit: fit) }
        let small = placements.filter { !picture.suffices(for: $0) }
        let closer = try clock.measure(\.decoding) { small.isEmpty ? picture : try image.decoded(for: small) }
        for (index, placement) in placements.enumerated() {
            try clock.measure(\.preprocessing) {
                try runner.write(placement, of: picture.suffices(for: placement) ? picture : closer)
            }
            try clock.measure(\.inference) { try runner.run() }
            objects[index].labels = try clock.measure(\.postprocessing) {
                try classifier.head.withScores(of: runner.interpreter, values: &runner.outputs) {
                    filter.labels(from: $0, names: classifier.names)
                }
            }
        }
        if let wanted { objects = objects.compactMap { choose($0, wanted) } }
    }

    /// The object with the names that it may have; nil if it is not wanted.
    private func choose(_ object: DetectedObject, _ wanted: LabelFilter) -> DetectedObject? {
        if let best = object.labels.first, wanted.denied.contains(best.text) { return nil }
        var object = object
        object.labels.removeAll { !wanted.permits($0.text) }
        return object.labels.isEmpty && wanted.allowed != nil ? nil : object
    }
}
