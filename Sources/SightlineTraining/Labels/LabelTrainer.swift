import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Trains a labeler from pictures with labels, in seconds and on one core.
///
/// ```swift
/// let pictures = try TrainingPictures(contentsOf: URL(filePath: "flowers"))
/// var options = LabelTrainerOptions()
/// options.start = LocalModel(url: URL(filePath: "mobilenet_v2_1.0_224_quant.tflite"))
/// let trainer = try LabelTrainer(options: options)
/// let trained = try await trainer.train(pictures, named: "flowers")
/// print(trained.report.top1, trained.interval.lower, trained.card.warnings)
/// try await trained.write(to: URL(filePath: "flowers-model"))
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: URL(filePath: "flowers-model"))))
/// ```
///
/// No network is trained. The trainer cuts a classifier before its last layer, computes the features of each picture once, fits a new last
/// layer (a logistic regression, a convex problem with one answer), and writes a model of both. The same pictures and the same start give
/// the same model on every run and machine.
///
/// The figures are honest by construction: each picture is measured by a layer that learned neither from it nor from a picture that is
/// nearly the same. The model itself learns from all pictures.
public struct LabelTrainer: Sendable {
    /// The options passed to the initializer.
    public let options: LabelTrainerOptions
    private let extractor: FeatureExtractor

    /// Reads the model to start from, and cuts it before its last layer.
    ///
    /// - Throws: `LocalModelError` if the start is not a classifier of pictures, a `LocalizedError` that says why if its last layer cannot be
    ///   replaced, `RuntimeError` if the LiteRT library is missing or too old.
    public init(options: LabelTrainerOptions = LabelTrainerOptions()) throws {
        self.options = options
        extractor = try FeatureExtractor(options.start, workers: max(options.workers, 1))
    }

    /// Learns from pictures.
    ///
    /// - Parameters:
    ///   - pictures: The pictures and their labels. Files that are not pictures are skipped and reported.
    ///   - name: The name of the new model, for its description and the report.
    ///   - progress: Called after each picture and each fit, one call at a time.
    /// - Returns: The model, its figures and warnings. Nothing is written except the cache of features.
    /// - Throws: ``TrainingError``, `CancellationError` if the task is canceled, `InterpreterError` if the runtime fails.
    /// - Complexity: The network runs once for each picture that is not in the cache, some milliseconds each. The fits take time in
    ///   proportion to pictures × features × labels. Memory holds four bytes for each feature of each picture.
    public func train(
        _ pictures: TrainingPictures,
        named name: String,
        progress: (TrainingProgress) -> Void = { _ in }
    ) async throws -> TrainedLabels {
        let began = ContinuousClock.now
        var skipped = pictures.skipped
        let cache = FeatureCache(
            in: options.cache,
            network: extractor.cacheKey,
            byteCount: extractor.describedByteCount
        )
        let read = try await extractor.read(
            pictures,
            cache: cache,
            workers: options.workers,
            skipped: &skipped,
            progress: progress
        )
        try Self.check(read, pictures, skipped)
        let fitting = LayerFitting(
            FeatureMatrix(read.map(\.features), of: extractor.trunk),
            of: extractor.trunk,
            labels: read.map(\.picture.labels),
            labelCount: pictures.labels.count,
            severalLabels: pictures.severalLabels
        )
        let duplicates = try await NearDuplicates(
            of: read.map(\.digest),
            read.map(\.thumbnail),
            labels: read.map(\.picture.labels),
            in: fitting.matrix,
            showOneScene: options.picturesShowOneScene,
            workers: options.workers
        )
        let validation = try await CrossValidation(
            fitting,
            duplicates: duplicates,
            digests: read.map(\.digest),
            heldOut: read.indices.filter { read[$0].picture.isHeldOut },
            seed: options.seed,
            workers: options.workers,
            progress: progress
        )
        let layer = try fitting.layer(validation.learned, freedom: validation.freedom)
        let summary = TrainingSummary(
            name: name,
            options: options,
            pictures: pictures,
            read: read,
            skipped: skipped,
            duplicates: duplicates,
            validation: validation,
            began: began
        )
        let start = extractor.start(named: options.startName, license: options.startLicense)
        let model = try extractor.trunk.classifier(layer, metadata(summary, license: start.license))
        let drawn = FeatureMatrix(try await drawn(cache), of: extractor.trunk, like: fitting.matrix)
        let unrelated = fitting.probabilities(layer, of: Array(0..<drawn.rowCount), in: drawn)
        return TrainedLabels(summary, model: model, sidecar: extractor.sidecar, start: start, unrelated: unrelated)
    }

    private func metadata(_ summary: TrainingSummary, license: String?) -> ClassifierMetadata {
        var metadata = ClassifierMetadata(
            name: summary.name,
            description: summary.description,
            labels: summary.pictures.labels
        )
        metadata.license = license
        metadata.normalization = extractor.normalization
        metadata.scoreThreshold = summary.threshold.map(Float.init)
        return metadata
    }

    /// Throws if a label has no picture that can be used.
    private static func check(
        _ read: [ReadPicture],
        _ pictures: TrainingPictures,
        _ skipped: SkippedPictures
    ) throws(TrainingError) {
        let found = Set(read.flatMap(\.picture.labels))
        let paths = Set(pictures.pictures.map(\.path))
        for (index, label) in pictures.labels.enumerated() where !found.contains(index) {
            let lost = Set(pictures.pictures.filter { $0.labels.contains(index) }.map(\.path))
            let first =
                skipped.pictures.first { lost.contains($0.path) } ?? skipped.pictures.first { paths.contains($0.path) }
            throw .noUsablePicture(label: label, reason: first.map { "\($0.path): \($0.reason)" } ?? "none was found.")
        }
    }

    /// The features of drawn pictures, which have none of the labels.
    private func drawn(_ cache: FeatureCache) async throws -> [Data] {
        let extractor = extractor
        defer { cache.flush() }
        return try await Array(0..<max(options.drawnPictures, 0)).concurrentMap(limit: options.workers) { number in
            let digest = FeatureCache.digest(of: Data("drawn picture \(number)".utf8))
            return try await extractor.described(digest, in: cache) { try GeneratedPicture.picture(number) }.features
        }
    }
}

/// The options of a training of labels: those of every training, and its own.
@dynamicMemberLookup
public struct LabelTrainerOptions: Sendable, Hashable {
    /// The options of every training. Each is also an option of this value: `options.seed` is `options.shared.seed`.
    public var shared: TrainerOptions
    /// The number of drawn pictures that show how the model answers where it should not.
    public var drawnPictures = 200
    /// Whether the pictures show one scene, such as a gate before a fixed camera, in different states. Then pictures that look alike are not kept
    /// together when the model is measured; only equal files are.
    public var picturesShowOneScene = false

    /// Creates options with those of every training.
    public init(_ shared: TrainerOptions) {
        self.shared = shared
    }

    /// Creates options with a start.
    public init(start: LocalModel = .builtInFeatures) {
        shared = TrainerOptions(start: start)
    }

    /// An option of every training.
    public subscript<Value>(dynamicMember option: WritableKeyPath<TrainerOptions, Value>) -> Value {
        get { shared[keyPath: option] }
        set { shared[keyPath: option] = newValue }
    }
}
