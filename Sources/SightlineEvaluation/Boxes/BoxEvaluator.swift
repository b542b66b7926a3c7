import Foundation
import Sightline

/// Measures the quality of a detector on pictures with known objects.
///
/// ```swift
/// let pictures = try AnnotatedPictures(contentsOf: URL(filePath: "annotations.json"))  // or street.zip
/// let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: LocalModel(url: coco)))
/// let report = try await evaluator.evaluate(pictures)
/// print(report.summary?.ap ?? 0)
/// ```
public struct BoxEvaluator: Sendable {
    /// The options passed to the initializer.
    public let options: BoxEvaluatorOptions

    let detector: ObjectDetector

    /// Boxes with a lower confidence do not count; they would not change any visible digit.
    private static let minimumScore: Float = 0.001

    /// Reads and compiles the model.
    ///
    /// - Throws: `LocalModelError` if the model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses the model.
    public init(options: BoxEvaluatorOptions = BoxEvaluatorOptions()) throws {
        self.options = options
        detector = try ObjectDetector(options: Self.detection(options))
    }

    /// The options of the detector that is measured.
    static func detection(_ options: BoxEvaluatorOptions) -> ObjectDetectorOptions {
        var detection = ObjectDetectorOptions(model: options.model)
        detection.scoreThreshold = Self.minimumScore
        detection.classificationThreshold = 0
        detection.maximumObjects = BoxScoring.maximumCounts[2]
        detection.workers = max(options.workers, 1)
        detection.optimizesModel = options.optimizesModel
        detection.slices = options.slices
        return detection
    }

    /// Compares the detections in a file with the annotations.
    public static func evaluate(_ detections: BoxDetections, _ annotations: BoxAnnotations) -> BoxReport {
        let start = ContinuousClock.now
        var report = BoxReport(annotations, detections)
        report.detectionsSource = detections.name
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Runs the detector on all pictures and compares its detections with the annotations.
    ///
    /// A label of the model stands for the category with the same name, ignoring case and punctuation. The report lists
    /// pictures that cannot be used; their objects do not count as missed.
    ///
    /// - Parameters:
    ///   - known: The pictures with the known objects.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: `EvaluationError.noKnownCategory` if no label of the model is a category, `.noKeypoints` or `.noMasks` if these
    ///   are compared and the model gives none, `.noUsablePicture` if no picture can be used, `CancellationError` if the task is canceled, `OutputError` if the model returns NaN.
    public func evaluate(
        _ known: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> BoxReport {
        let start = ContinuousClock.now
        let annotations = known.annotations
        guard !annotations.comparesKeypoints || detector.pointNames != nil else {
            throw EvaluationError.noKeypoints(model: detector.modelFiles.name)
        }
        guard !annotations.hasMasks || detector.givesMasks else {
            throw EvaluationError.noMasks(model: detector.modelFiles.name)
        }
        let names = try BoxCategories(annotations, of: detector)
        var state = EvaluationProgress(done: 0, skipped: 0, total: annotations.pictures.count)
        var skipped = SkippedPictures()
        var skippedPictures = Set<Int>()
        var boxes: [BoxDetections.Box] = []
        var unknown: [String: Int] = [:]
        let detector = detector
        try await OrderedEvaluation.run(Array(annotations.pictures.enumerated()), workers: options.workers) {
            _,
            picture in
            try await detector.objects(in: known.files.image(picture))
        } deliver: { item, result in
            state.done += 1
            switch result {
            case .success(let objects):
                boxes += names.boxes(objects, inPicture: item.offset)
                for label in objects.compactMap(\.labels.first?.text) where names.category(of: label) == nil {
                    unknown[label, default: 0] += 1
                }
            case .failure(let reason):
                state.skipped += 1
                skippedPictures.insert(item.offset)
                skipped.add(item.element.path, reason.description)
            }
            progress(state)
        }
        guard skippedPictures.count < annotations.pictures.count else {
            throw EvaluationError.noUsablePicture(path: known.path, reason: skipped.pictures.first?.reason ?? "")
        }
        var report = BoxReport(
            annotations.keepingObjects { !skippedPictures.contains($0) },
            BoxDetections(name: "", boxes: boxes),
            knowsCategories: detector.classNames != nil,
            skipped: skipped
        )
        report.skipped.add(known.skipped)
        report.model = EvaluatedModel(detector.modelFiles)
        report.slicePixels = options.slices?.pixels
        report.unknownLabels = BoxReport.UnknownLabels(unknown)
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }
}

/// The options of a box evaluation.
public struct BoxEvaluatorOptions: Sendable, Hashable {
    /// The model.
    public var model: LocalModel
    /// The number of pictures that are processed at the same time, each with its own compiled copy of the model. The
    /// default is the number of cores.
    public var workers = ProcessInfo.processInfo.activeProcessorCount
    /// Whether a rewritten, faster form of the model is measured, if there is one.
    public var optimizesModel = false
    /// The slices in which small objects are searched, in addition to the whole pictures; nil for none.
    public var slices: PictureSlices?

    /// Creates options with a model and defaults for everything else.
    public init(model: LocalModel = .builtInDetector) {
        self.model = model
    }
}

extension BoxReport.UnknownLabels {
    /// Labels with the number of their detections.
    fileprivate init(_ counts: [String: Int]) {
        self.init(
            count: counts.count,
            detectionCount: counts.values.reduce(0, +),
            names: Array(counts.keys.sorted().prefix(Self.maximumNames))
        )
    }
}
