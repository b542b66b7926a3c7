import DurableFiles
import Sightline
public import TensorFlowLite

extension BoxEvaluator {
    /// Compares the model with a rewritten form of it.
    ///
    /// Both models find the objects in each picture. Then they run in turn on one thread for their times.
    ///
    /// - Parameters:
    ///   - optimized: A form of the model with the same inputs and outputs.
    ///   - pictures: The pictures with known objects.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: as the evaluation.
    public func compare(
        with optimized: OptimizedModel,
        on pictures: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> BoxComparison {
        let rewritten = Contestant(
            detector: try ObjectDetector(options: Self.detection(options), running: optimized.model),
            model: optimized.model
        )
        var comparison = try await compare(Contestant(self), rewritten, on: pictures, progress)
        comparison.rewrites = optimized.plan.rewrites.map(\.description)
        return comparison
    }

    /// Compares the model with an earlier version, whose inputs, outputs and labels may differ.
    ///
    /// - Parameters:
    ///   - earlier: The evaluator of the earlier version, which is the comparison's baseline.
    ///   - pictures: The pictures with known objects.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: as the evaluation of each model.
    public func compare(
        withEarlier earlier: BoxEvaluator,
        on pictures: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> BoxComparison {
        try await compare(Contestant(earlier), Contestant(self), on: pictures, progress)
    }

    private func compare(
        _ baseline: Contestant,
        _ candidate: Contestant,
        on known: AnnotatedPictures,
        _ progress: (EvaluationProgress) -> Void
    ) async throws -> BoxComparison {
        let annotations = known.annotations
        let names = try BoxCategories(annotations, of: baseline.detector)
        let candidateNames = try BoxCategories(annotations, of: candidate.detector)
        let items = OrderedEvaluation.sample(
            of: Array(annotations.pictures.enumerated()),
            atMost: BoxComparison.maximumPictures
        )
        var state = EvaluationProgress(done: 0, skipped: 0, total: items.count)
        var used = Set<Int>()
        var (old, new): ([BoxDetections.Box], [BoxDetections.Box]) = ([], [])
        var (boxCount, sameBoxes) = (0, 0)
        try await OrderedEvaluation.run(items, workers: options.workers) { _, picture in
            let image = try known.files.image(picture)
            return (try await baseline.detector.objects(in: image), try await candidate.detector.objects(in: image))
        } deliver: { item, result in
            state.done += 1
            if case .success((let oldObjects, let newObjects)) = result {
                used.insert(item.offset)
                old += names.boxes(oldObjects, inPicture: item.offset)
                new += candidateNames.boxes(newObjects, inPicture: item.offset)
                let confident = oldObjects.filter { $0.objectConfidence >= BoxComparison.minimumConfidence }
                boxCount += confident.count
                sameBoxes += confident.count { object in newObjects.contains { $0.isTwin(of: object) } }
            } else {
                state.skipped += 1
            }
            progress(state)
        }
        let wanted = annotations.keepingObjects { used.contains($0) }
        let ignoresCategories = [baseline, candidate].contains { $0.detector.classNames == nil }
        func summary(_ boxes: [BoxDetections.Box]) -> BoxReport.BoxSummary {
            let detections = BoxDetections(name: "", boxes: boxes)
            return BoxScores(BoxScoring(wanted, detections, ignoresCategories: ignoresCategories)).summary
        }
        let speed = try ModelComparison.Speed(of: baseline.model, with: candidate.model)
        return BoxComparison(
            baseline: baseline.side(summary(old), speed.originalMilliseconds),
            candidate: candidate.side(summary(new), speed.rewrittenMilliseconds),
            pictureCount: used.count,
            boxCount: boxCount,
            sameBoxes: sameBoxes,
            speedup: speed.ratio,
            rewrites: []
        )
    }

}

/// A detector in a comparison.
private struct Contestant: Sendable {
    let detector: ObjectDetector
    /// The model that runs.
    let model: any InferenceModel

    init(detector: ObjectDetector, model: any InferenceModel) { (self.detector, self.model) = (detector, model) }

    init(_ evaluator: BoxEvaluator) {
        self.init(detector: evaluator.detector, model: evaluator.detector.modelFiles.model)
    }

    func side(_ summary: BoxReport.BoxSummary, _ milliseconds: Double) -> BoxComparison.Side {
        var file = EvaluatedModel(detector.modelFiles)
        file.sha256 = SHA256.hexadecimalDigest(of: model.data)
        file.byteCount = model.data.count
        return BoxComparison.Side(model: file, ap: summary.ap, ap50: summary.ap50, milliseconds: milliseconds)
    }
}

extension DetectedObject {
    /// The least overlap, as IoU, of two boxes of the same object.
    private static let minimumOverlap = 0.9

    /// Whether another model also finds an object. A confidence right at the limit may fall below it.
    fileprivate func isTwin(of object: DetectedObject) -> Bool {
        objectConfidence >= BoxComparison.minimumConfidence / 2 && labels.first?.text == object.labels.first?.text
            && frame.iou(object.frame) >= Self.minimumOverlap
    }
}
