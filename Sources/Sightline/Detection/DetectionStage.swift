/// The first stage: finds boxes in a picture.
struct DetectionStage: Sendable {
    var model: DetectionModel
    /// The confidences from which a box of each class is an object.
    let scoreThresholds: ClassThresholds
    private let options: ObjectDetectorOptions
    private let iouThreshold: Float?
    /// The wanted classes; nil where a classifier decides.
    private let wantedClasses: LabelFilter?
    /// The confidences from which the model's own classes are reported as labels.
    let labelThresholds: ClassThresholds
    /// Whether the model's own classes are the labels; class-agnostic models have no labels.
    private let givesLabels: Bool

    init(model: DetectionModel, options: ObjectDetectorOptions) {
        self.model = model
        self.options = options
        scoreThresholds = ClassThresholds(
            Thresholds.score(options.scoreThreshold, of: model.files, head: model.head),
            model.isClassAgnostic ? [:] : options.scoreThresholds,
            of: model.names
        )
        iouThreshold =
            Thresholds.iou(options.iouThreshold, of: model.files, head: model.head)
            ?? (options.suppressesAcrossClasses ? NonMaximumSuppression.usualThreshold : nil)
        labelThresholds = ClassThresholds(
            options.classificationThreshold?.validConfidence ?? 0,
            options.classificationThresholds,
            of: model.names
        )
        givesLabels = options.classifiesObjects && options.classifier == nil && !model.isClassAgnostic
        let isLeftToClassifier = model.isClassAgnostic && options.classifiesObjects && options.classifier != nil
        wantedClasses =
            isLeftToClassifier
            ? nil
            : LabelFilter(
                thresholds: ClassThresholds(0),
                allowed: options.allowedLabels,
                denied: options.deniedLabels,
                maximumCount: 1
            )
    }

    /// The boxes that the model found in a picture.
    struct Findings {
        /// The boxes, the most confident first.
        let detections: [DetectedObject]
        /// The number of further boxes, beyond the number that the caller asked for.
        let omitted: Int
        /// The picture as it was decoded for the model.
        let picture: DecodedImage
    }

    /// Finds the boxes in a picture.
    ///
    /// - Parameters:
    ///   - thresholds: boxes below the confidence of their class are dropped.
    ///   - maximumCount: at most this many boxes.
    func detections(
        in image: VisionImage,
        thresholds: ClassThresholds,
        maximumCount: Int,
        with runner: inout ModelRunner,
        clock: inout StageClock
    ) throws -> Findings {
        let region = try image.region(options.regionOfInterest)
        let placement = Placement(region, into: model.input.format.size, fit: options.fit ?? model.fit)
        let picture = try clock.measure(\.decoding) { try image.decoded(for: [placement]) }
        try clock.measure(\.preprocessing) { try runner.write(placement, of: picture) }
        try clock.measure(\.inference) { try runner.run() }
        let (detections, omitted) = try clock.measure(\.postprocessing) {
            let candidates = try model.head.candidates(
                of: runner.interpreter,
                values: &runner.outputs,
                minimumScore: thresholds.least
            )
            let wanted = candidates.filter { isWanted($0, thresholds) }
            return self.detections(from: wanted, placement: placement, region: region, maximumCount: maximumCount)
        }
        return Findings(detections: detections, omitted: omitted, picture: picture)
    }

    /// The class of a box as a label, whatever its confidence; nil where the model knows no classes or a classifier names
    /// the objects.
    func label(of detection: DetectedObject) -> Label? {
        guard givesLabels, let index = detection.classIndex else { return nil }
        return Label(text: model.names[index], index: index, confidence: detection.confidence)
    }

    private func isWanted(_ candidate: Candidate, _ thresholds: ClassThresholds) -> Bool {
        candidate.score >= thresholds[candidate.classIndex]
            && wantedClasses?.permits(model.names[candidate.classIndex]) ?? true
    }

    private func detections(
        from wanted: [Candidate],
        placement: Placement,
        region: PixelRect,
        maximumCount: Int
    ) -> (detections: [DetectedObject], omitted: Int) {
        let kept =
            if let iouThreshold {
                NonMaximumSuppression.suppress(
                    wanted,
                    iouThreshold: iouThreshold,
                    acrossClasses: options.suppressesAcrossClasses
                )
            } else {
                wanted.sorted { $0.score > $1.score }
            }
        var (detections, omitted) = ([DetectedObject](), 0)
        for candidate in kept {
            let box = placement.pictureRect(
                left: Double(candidate.left),
                top: Double(candidate.top),
                right: Double(candidate.right),
                bottom: Double(candidate.bottom)
            )
            // Models place edges a little outside; an object is where the picture is.
            guard let frame = box.intersection(region) else { continue }
            guard detections.count < maximumCount else {
                omitted += 1
                continue
            }
            detections.append(
                DetectedObject(
                    frame: frame,
                    confidence: candidate.score,
                    classIndex: model.isClassAgnostic ? nil : candidate.classIndex
                )
            )
        }
        return (detections, omitted)
    }
}
