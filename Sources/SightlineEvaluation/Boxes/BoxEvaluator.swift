import Foundation
import Sightline

/// Measures how good a detector is on pictures whose objects are known.
///
/// ```swift
/// let annotations = try BoxAnnotations(contentsOf: URL(filePath: "annotations.json"))
/// let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: LocalModel(url: coco)))
/// let report = try await evaluator.evaluate(annotations, pictures: URL(filePath: "images"))
/// print(report.summary?.ap ?? 0)
/// ```
public struct BoxEvaluator: Sendable {
    /// What the evaluator was made with.
    public let options: BoxEvaluatorOptions

    private let detector: ObjectDetector

    /// Less confident boxes are not counted; those change no figure that one could see.
    private static let minimumScore: Float = 0.001

    /// Reads and compiles the model.
    ///
    /// - Throws: `LocalModelError` if the model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses the model.
    public init(options: BoxEvaluatorOptions = BoxEvaluatorOptions()) throws {
        self.options = options
        var detection = ObjectDetectorOptions(model: options.model)
        detection.scoreThreshold = Self.minimumScore
        detection.classificationThreshold = 0
        detection.maximumObjects = BoxScoring.maximumCounts[2]
        detection.workers = max(options.workers, 1)
        detector = try ObjectDetector(options: detection)
    }

    /// Compares detections that are given in a file with what is known.
    public static func evaluate(_ detections: BoxDetections, _ annotations: BoxAnnotations) -> BoxReport {
        let start = ContinuousClock.now
        var report = BoxReport(annotations, detections)
        report.detectionsSource = detections.name
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Searches all pictures, compares what is found with what is known, and counts.
    ///
    /// A label of the model means the category of its name but for case and signs. Pictures that cannot be used are told in the
    /// report, and what is in them is not missed.
    ///
    /// - Parameters:
    ///   - annotations: what is known.
    ///   - folder: where the pictures lie under the names that the annotations have.
    ///   - progress: called after each picture, one call at a time.
    /// - Throws: `EvaluationError.noKnownCategory` if none of the model's labels is a category, `.noUsablePicture` if no picture can be
    ///   used, `CancellationError` if the task is cancelled, `OutputError` if the model gives NaN.
    public func evaluate(
        _ annotations: BoxAnnotations,
        pictures folder: URL,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> BoxReport {
        let start = ContinuousClock.now
        let names = LabelNames(
            names: annotations.categories.map(\.name),
            count: annotations.categories.count,
            backgroundIndex: nil
        )
        if let labels = detector.classNames, !labels.contains(where: { names.category(of: $0) != nil }) {
            throw EvaluationError.noKnownCategory(labels: labels, categories: annotations.categories.map(\.name))
        }
        var state = EvaluationProgress(done: 0, skipped: 0, total: annotations.pictures.count)
        var skipped = SkippedPictures()
        var skippedPictures = Set<Int>()
        var boxes: [BoxDetections.Box] = []
        var unknown: [String: Int] = [:]
        let detector = detector
        try await OrderedEvaluation.run(Array(annotations.pictures.enumerated()), workers: options.workers) {
            _,
            picture in
            guard let file = PicturePath.file(picture.path, in: folder) else {
                throw EvaluationError.unreadable(
                    path: picture.path,
                    reason: "it does not lie in the folder of pictures"
                )
            }
            return try await detector.objects(in: VisionImage(contentsOf: file))
        } deliver: { item, result in
            state.done += 1
            switch result {
            case .success(let objects):
                for object in objects {
                    var category: Int?
                    if let label = object.labels.first {
                        category = names.category(of: label.text)
                        if category == nil { unknown[label.text, default: 0] += 1 }
                    }
                    boxes.append(
                        BoxDetections.Box(
                            picture: item.offset,
                            category: category,
                            frame: object.frame,
                            score: Double(object.confidence)
                        )
                    )
                }
            case .failure(let reason):
                state.skipped += 1
                skippedPictures.insert(item.offset)
                skipped.add(item.element.path, reason.description)
            }
            progress(state)
        }
        guard skippedPictures.count < annotations.pictures.count else {
            throw EvaluationError.noUsablePicture(
                path: folder.path(percentEncoded: false),
                reason: skipped.pictures.first?.reason ?? ""
            )
        }
        var report = BoxReport(
            annotations.leavingOut(skippedPictures),
            BoxDetections(name: "", boxes: boxes),
            knowsCategories: detector.classNames != nil,
            skipped: skipped
        )
        report.model = EvaluatedModel(detector.modelFiles)
        report.unknownLabels = BoxReport.UnknownLabels(unknown)
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }
}

/// What a box evaluation is made with.
public struct BoxEvaluatorOptions: Sendable, Hashable {
    /// The model.
    public var model: LocalModel
    /// Pictures that are worked on at the same time, each with a compiled copy of the model of its own; one per core unless set.
    public var workers = ProcessInfo.processInfo.activeProcessorCount

    /// Options with a model and defaults for all else.
    public init(model: LocalModel = .builtInLocalizer) {
        self.model = model
    }
}

extension LabelNames {
    /// The category that a label means.
    fileprivate func category(of label: String) -> Int? {
        if case .label(let category) = meaning(of: label) { category } else { nil }
    }
}

extension BoxAnnotations {
    /// The same without the objects of some pictures, which stay listed.
    fileprivate func leavingOut(_ skipped: Set<Int>) -> BoxAnnotations {
        skipped.isEmpty ? self : BoxAnnotations(self, objects: objects.filter { !skipped.contains($0.picture) })
    }
}

extension BoxReport.UnknownLabels {
    /// Labels and how often each was found.
    fileprivate init(_ counts: [String: Int]) {
        self.init(
            count: counts.count,
            detectionCount: counts.values.reduce(0, +),
            names: Array(counts.keys.sorted().prefix(Self.maximumNames))
        )
    }
}
