import TensorFlowLite

/// Runs a model and its rewritten form on pictures and compares their answers.
protocol AnswerComparer {
    /// The interpreters of both models, with a single thread each.
    var interpreters: (original: any InferenceSession, rewritten: any InferenceSession) { get }

    /// Runs both models on a picture and counts equal answers.
    mutating func compare(_ picture: VisionImage, _ agreement: inout ModelComparison.Agreement) throws
}

/// Compares the best labels.
struct LabelComparer: AnswerComparer {
    private let classifier: Classifier
    private var original: ModelRunner
    private var rewritten: ModelRunner

    init(_ classifier: Classifier, _ rewritten: Model) throws {
        self.classifier = classifier
        original = try classifier.makeRunner(threads: 1)
        self.rewritten = try classifier.running(rewritten).makeRunner(threads: 1)
    }

    var interpreters: (original: any InferenceSession, rewritten: any InferenceSession) {
        (original.interpreter, rewritten.interpreter)
    }

    mutating func compare(_ picture: VisionImage, _ agreement: inout ModelComparison.Agreement) throws {
        let placement = Placement(
            PixelRect(picture.size),
            into: classifier.input.format.size,
            fit: classifier.fit(preferred: .crop)
        )
        let decoded = try picture.decoded(for: [placement])
        let old = try classifier.scores(of: decoded, placement, with: &original)
        let new = try classifier.scores(of: decoded, placement, with: &rewritten)
        for (one, two) in zip(old, new) {
            agreement.largestDifference = max(agreement.largestDifference, abs(one - two))
        }
        guard let best = old.max(), best >= agreement.minimumConfidence else { return }
        agreement.answers += 1
        // Quantized scores are often equal, so a picture may have several best labels.
        let newBest = new.max()
        if zip(old, new).contains(where: { $0 == best && $1 == newBest }) { agreement.same += 1 }
    }
}

extension Classifier {
    fileprivate func scores(
        of picture: DecodedImage,
        _ placement: Placement,
        with runner: inout ModelRunner
    ) throws -> [Float] {
        try runner.write(placement, of: picture)
        try runner.run()
        return try head.withScores(of: runner.interpreter, values: &runner.outputs) { Array($0) }
    }
}

/// Compares the objects.
struct ObjectComparer: AnswerComparer {
    private let stage: DetectionStage
    private var original: DetectionRunner
    private var rewritten: DetectionRunner

    /// The least overlap, as IoU, of two boxes of the same object.
    private static let minimumOverlap = 0.9

    init(_ model: DetectionModel, _ rewritten: Model) throws {
        original = try model.makeRunner(threads: 1)
        self.rewritten = try model.running(rewritten).makeRunner(threads: 1)
        let probed = try model.probed(with: &original)
        stage = DetectionStage(model: probed, options: ObjectDetectorOptions(model: LocalModel(url: model.files.url)))
    }

    var interpreters: (original: any InferenceSession, rewritten: any InferenceSession) {
        (original.full.interpreter, rewritten.full.interpreter)
    }

    mutating func compare(_ picture: VisionImage, _ agreement: inout ModelComparison.Agreement) throws {
        let old = try objects(in: picture, atLeast: agreement.minimumConfidence, with: &original)
        // A confidence right at the limit may fall below it.
        let new = try objects(in: picture, atLeast: agreement.minimumConfidence / 2, with: &rewritten)
        for object in old {
            agreement.answers += 1
            let twin = new.first {
                $0.classIndex == object.classIndex && $0.frame.iou(object.frame) >= Self.minimumOverlap
            }
            guard let twin else { continue }
            agreement.same += 1
            let difference = abs(object.objectConfidence - twin.objectConfidence)
            agreement.largestDifference = max(agreement.largestDifference, difference)
        }
    }

    private func objects(
        in picture: VisionImage,
        atLeast confidence: Float,
        with runner: inout DetectionRunner
    ) throws -> [DetectedObject] {
        var clock = StageClock()
        return try stage.detections(
            in: picture,
            thresholds: ClassThresholds(confidence),
            maximumCount: ObjectDetectorOptions.defaultMaximumObjects,
            with: &runner,
            clock: &clock
        ).detections
    }
}
