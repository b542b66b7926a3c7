/// The second stage: names objects by running a classifier on the part of the picture that holds the object.
struct ClassificationStage: Sendable {
    var classifier: Classifier
    /// Chooses the labels of an object among the classifier's scores.
    let filter: LabelFilter
    private let fit: ImageFit
    /// Chooses the wanted objects by their names; nil where the detector's own classes decide.
    private let wanted: WantedNames?

    /// Creates the stage.
    ///
    /// - Parameter choosesObjects: whether the allowed and denied labels of the options are this classifier's, since the
    ///   detector has no classes.
    init(classifier: Classifier, options: ObjectDetectorOptions, choosesObjects: Bool) {
        self.classifier = classifier
        wanted = choosesObjects ? WantedNames(GroupedChoice(options)) : nil
        filter = LabelFilter(
            thresholds: ClassThresholds(
                Thresholds.label(options.classificationThreshold, of: classifier.files),
                options.classificationThresholds,
                of: classifier.names
            ),
            allowed: nil,
            denied: [],
            maximumCount: options.maximumLabelsPerObject > 0
                ? options.maximumLabelsPerObject : ObjectDetectorOptions.defaultMaximumLabelsPerObject
        )
        // An object fills its box, so nothing of it may be cut off.
        fit = classifier.fit(preferred: .stretch)
    }

    /// The labels of the objects in some frames of a picture, in their order.
    ///
    /// An object that fills much of the picture is taken from the pixels that were decoded for the detector. Small objects
    /// need more pixels than a localizer does: for them the picture is decoded again, at the scale that the smallest of them
    /// needs.
    ///
    /// - Parameters:
    ///   - picture: the picture as it was decoded for the detector.
    ///   - filter: chooses the labels among the scores.
    func labels(
        of frames: [PixelRect],
        in image: VisionImage,
        decoded picture: DecodedImage,
        filter: LabelFilter,
        with runner: inout ModelRunner,
        clock: inout StageClock
    ) throws -> [[Label]] {
        guard !frames.isEmpty else { return [] }
        let placements = frames.map { Placement($0, into: classifier.input.format.size, fit: fit) }
        let small = placements.filter { !picture.suffices(for: $0) }
        let closer = try clock.measure(\.decoding) { small.isEmpty ? picture : try image.decoded(for: small) }
        var labels: [[Label]] = []
        for placement in placements {
            try clock.measure(\.preprocessing) {
                try runner.write(placement, of: picture.suffices(for: placement) ? picture : closer)
            }
            try clock.measure(\.inference) { try runner.run() }
            labels.append(
                try clock.measure(\.postprocessing) {
                    try classifier.head.withScores(of: runner.interpreter, values: &runner.outputs) {
                        filter.labels(from: $0, names: classifier.names)
                    }
                }
            )
        }
        return labels
    }

    /// The labels that the options permit; nil if the object is not wanted.
    func permitted(_ labels: [Label]) -> [Label]? {
        wanted.map { $0.permitted(labels) } ?? labels
    }

    /// Whether an object that is not wanted could be of an allowed kind, because its name is not sure.
    func isUnnamed(_ labels: [Label]) -> Bool { wanted?.isUnnamed(labels) ?? false }

    /// Whether the labels decide which objects are wanted.
    var choosesObjects: Bool { wanted != nil }
}
