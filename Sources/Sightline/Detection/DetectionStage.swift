/// The first stage: finds boxes in a picture.
struct DetectionStage: Sendable {
    let model: DetectionModel
    private let options: ObjectDetectorOptions
    private let scoreThreshold: Float
    private let iouThreshold: Float?
    private let maximumObjects: Int
    /// Which classes are wanted; nil where only a classifier can tell.
    private let wantedClasses: LabelFilter?

    init(model: DetectionModel, options: ObjectDetectorOptions) {
        self.model = model
        self.options = options
        scoreThreshold = model.scoreThreshold(explicit: options.scoreThreshold)
        iouThreshold = model.iouThreshold(explicit: options.iouThreshold)
        maximumObjects =
            options.maximumObjects > 0 ? options.maximumObjects : ObjectDetectorOptions.defaultMaximumObjects
        let isLeftToClassifier = model.isClassAgnostic && options.classifiesObjects && options.classifier != nil
        wantedClasses =
            isLeftToClassifier
            ? nil
            : LabelFilter(
                threshold: 0,
                allowed: options.allowedLabels,
                denied: options.deniedLabels,
                maximumCount: 1
            )
    }

    /// The objects in a picture, the most confident first, with the model's class as their label; and the picture as it was
    /// decoded to find them.
    func objects(
        in image: VisionImage,
        with runner: inout ModelRunner,
        clock: inout StageClock
    ) throws -> (objects: [DetectedObject], picture: DecodedImage) {
        let region = try image.region(options.regionOfInterest)
        let placement = Placement(region, into: model.input.format.size, fit: options.fit ?? model.fit)
        let picture = try clock.measure(\.decoding) { try image.decoded(for: [placement]) }
        try clock.measure(\.preprocessing) { try runner.write(placement, of: picture) }
        try clock.measure(\.inference) { try runner.run() }
        let objects = try clock.measure(\.postprocessing) {
            let candidates = try model.head.candidates(
                of: runner.interpreter,
                values: &runner.outputs,
                minimumScore: scoreThreshold
            )
            return self.objects(from: candidates, placement: placement, region: region, size: image.size)
        }
        return (objects, picture)
    }

    private func objects(
        from candidates: [Candidate],
        placement: Placement,
        region: PixelRect,
        size: PixelSize
    ) -> [DetectedObject] {
        let wanted = candidates.filter { wantedClasses?.permits(model.names[$0.classIndex]) ?? true }
        let kept =
            if let iouThreshold {
                NonMaximumSuppression.suppress(wanted, iouThreshold: iouThreshold)
            } else {
                wanted.sorted { $0.score > $1.score }
            }
        var objects: [DetectedObject] = []
        for candidate in kept {
            let box = placement.pictureRect(
                left: Double(candidate.left),
                top: Double(candidate.top),
                right: Double(candidate.right),
                bottom: Double(candidate.bottom)
            )
            // Models place edges a little outside; an object is where the picture is.
            guard let frame = box.intersection(region) else { continue }
            objects.append(DetectedObject(frame: frame, confidence: candidate.score, labels: labels(of: candidate)))
            if options.detectsMultipleObjects, objects.count == maximumObjects { break }
        }
        return options.detectsMultipleObjects ? objects : mostProminent(of: objects, in: size)
    }

    private func labels(of candidate: Candidate) -> [Label] {
        // A class-agnostic model says "object" of everything, which is no name.
        guard options.classifiesObjects, options.classifier == nil, !model.isClassAgnostic else { return [] }
        let label = Label(
            text: model.names[candidate.classIndex],
            index: candidate.classIndex,
            confidence: candidate.score
        )
        return label.confidence >= (options.classificationThreshold?.validConfidence ?? 0) ? [label] : []
    }

    private func mostProminent(of objects: [DetectedObject], in size: PixelSize) -> [DetectedObject] {
        let winner = objects.max {
            Prominence.of($0.frame, confidence: $0.confidence, in: size)
                < Prominence.of($1.frame, confidence: $1.confidence, in: size)
        }
        return winner.map { [$0] } ?? []
    }
}
