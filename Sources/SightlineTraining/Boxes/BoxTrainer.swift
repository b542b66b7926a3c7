import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Trains a detector from pictures with drawn boxes, in a minute and on one core.
///
/// ```swift
/// let pictures = try AnnotatedPictures(contentsOf: URL(filePath: "annotations.json"), pictures: URL(filePath: "photos"))
/// var options = BoxTrainerOptions()
/// options.start = LocalModel(url: URL(filePath: "mobilenet_v2_1.0_224_quant.tflite"))
/// let trainer = try BoxTrainer(options: options)
/// let trained = try await trainer.train(pictures, named: "food")
/// print(trained.coverage.share, trained.report.summary?.ap50 ?? 0, trained.card.warnings)
/// try trained.write(to: URL(filePath: "food"))
/// let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: URL(filePath: "food"))))
/// ```
///
/// No network is trained. The built-in detector proposes boxes; a classifier, cut before its last layer, computes the features of the content
/// of the boxes; and a new last layer, a logistic regression, tells the labels apart, with "nothing" among them, which it learns from proposals
/// without a drawn box. Such a pair is that classifier, as ML Kit's custom object detection takes it, with a sidecar inside that
/// makes both a detector.
///
/// Besides, a new last layer of the built-in detector's grids is fitted, which names the cells themselves: a single file, as AutoML Vision
/// Edge wrote it. Both forms are measured on the same pictures, and the better one becomes `model.tflite`.
///
/// The figures are honest by construction: each picture is measured by a layer that learned neither from it nor from a picture that is
/// nearly the same. The model itself learns from all pictures.
public struct BoxTrainer: Sendable {
    /// The options passed to the initializer.
    public let options: BoxTrainerOptions
    private let extractor: FeatureExtractor
    private let cellExtractor: CellExtractor
    private let detector: ObjectDetector
    private let description: ModelSidecar.Proposals

    /// Reads the built-in detector and the model to start from, and cuts this before its last layer.
    ///
    /// - Throws: `LocalModelError` if the start is not a classifier of pictures, a `LocalizedError` that says why if its last layer cannot be
    ///   replaced, `RuntimeError` if the LiteRT library is missing or too old.
    public init(options: BoxTrainerOptions = BoxTrainerOptions()) throws {
        self.options = options
        let workers = max(options.workers, 1)
        extractor = try FeatureExtractor(options.start, workers: workers, fit: .stretch)
        cellExtractor = try CellExtractor(workers: workers)
        description = BoxTrainerOptions.proposals
        var detection = description.detectorOptions
        detection.workers = workers
        detector = try ObjectDetector(options: detection)
    }

    /// The largest number of proposals of a picture that are learned from: more if there are few pictures, since all show background.
    static func learnedProposals(ofPictures count: Int) -> Int { min(max(6_000 / max(count, 1), 10), 30) }
    /// So many pictures keep the features of all proposals, to be measured.
    private static let mostWhole = 1_000

    /// Learns from pictures.
    ///
    /// - Parameters:
    ///   - pictures: The pictures and their boxes. Pictures that cannot be used are skipped and reported.
    ///   - name: The name of the new model, for its description and the report.
    ///   - progress: Called after each picture, once with the coverage of the proposals, and after each fit, one call at a time.
    /// - Returns: The model, its figures and warnings. Nothing is written except the cache of features.
    /// - Throws: ``TrainingError``, `EvaluationError.noUsablePicture`, `CancellationError` if the task is canceled, `InterpreterError` if the
    ///   runtime fails.
    /// - Complexity: The networks run about thirty times for each picture that is not in the cache, some milliseconds each. The fits take
    ///   time in proportion to pictures × features × labels. Memory holds about a kilobyte for each of ten boxes of each picture.
    public func train(
        _ pictures: AnnotatedPictures,
        named name: String,
        progress: (BoxTrainingProgress) -> Void = { _ in }
    ) async throws -> TrainedBoxes {
        let began = ContinuousClock.now
        let known = try BoxTrainingPictures(pictures)
        var skipped = SkippedPictures()
        let scenes = try await read(known, skipped: &skipped, progress)
        try Self.check(scenes, known, skipped)
        skipped.add(pictures.skipped)
        let coverage = ProposalCoverage.enough(for: scenes, labels: known.labels, atMost: description.maximum)
        progress(.covered(coverage))
        guard coverage.coveredCount > 0 else { throw TrainingError.nothingProposed(boxes: coverage.boxCount) }
        var description = description
        description.maximum = coverage.proposals
        let samples = RegionSamples(scenes, proposalLimit: Self.learnedProposals(ofPictures: scenes.count))
        let fitting = LayerFitting(
            FeatureMatrix(samples.features, of: extractor.trunk),
            of: extractor.trunk,
            labels: samples.labels,
            labelCount: known.labels.count,
            severalLabels: false
        )
        let validation = try await BoxValidation(
            fitting,
            samples,
            scenes,
            of: known,
            description: description,
            seed: options.seed,
            workers: options.workers
        ) { progress(.fitting(done: $0, total: 2 * $1)) }
        description.exponent = validation.exponent
        let gridSamples = GridSamples(scenes)
        let gridFit = GridFit(gridSamples, of: cellExtractor.trunk, labelCount: known.labels.count)
        let grids = try await GridValidation(
            gridFit,
            gridSamples,
            scenes,
            like: validation,
            workers: options.workers
        ) { progress(.fitting(done: $1 + $0, total: 2 * $1)) }
        let rows = Array(samples.features.indices)
        let layer = try fitting.layer(rows, freedom: validation.freedom)
        let summary = BoxTrainingSummary(
            name: name,
            options: options,
            pictures: known,
            scenes: scenes,
            skipped: skipped,
            coverage: coverage,
            validation: validation,
            grids: grids,
            began: began
        )
        let start = extractor.start(named: options.startName, license: options.startLicense)
        let gridLayer = try gridFit.layer(Array(gridSamples.features.indices), freedom: grids.freedom)
        return TrainedBoxes(
            summary,
            pair: try extractor.trunk.classifier(layer, metadata(summary, description, license: start.license)),
            single: try cellExtractor.trunk.detector(
                gridLayer,
                exponent: grids.exponent,
                singleMetadata(summary)
            ),
            singleInput: cellExtractor.inputSize,
            description,
            start: start
        )
    }

    private func read(
        _ known: BoxTrainingPictures,
        skipped: inout SkippedPictures,
        _ progress: (BoxTrainingProgress) -> Void
    ) async throws -> [ReadScene] {
        let proposer = SHA256.hexadecimalDigest(of: detector.modelFiles.data)
        let reader = SceneReader(
            detector: detector,
            extractor: extractor,
            description: description,
            cellExtractor: cellExtractor,
            nothingLimit: GridLesson.mostOfNothing(ofPictures: known.scenes.count),
            cellCache: FeatureCache(
                in: options.cache,
                network: "cells \(SHA256.hexadecimalDigest(of: cellExtractor.model.data))",
                byteCount: GridCells.byteCount(cellExtractor.trunk)
            ),
            proposalCache: FeatureCache(
                in: options.cache,
                network: "proposals \(proposer) \(description.threshold) \(description.maximum)",
                byteCount: SceneReader.keptBytes(description.maximum)
            ),
            featureCache: FeatureCache(
                in: options.cache,
                network: "regions \(extractor.cacheKey) \(description.margin)",
                byteCount: extractor.trunk.byteCount
            )
        )
        defer {
            reader.cellCache.flush()
            reader.proposalCache.flush()
            reader.featureCache.flush()
        }
        var scenes: [ReadScene] = []
        let total = known.scenes.count
        var (done, failed) = (0, 0)
        let files = known.files
        try await OrderedEvaluation.run(known.scenes, workers: options.workers) {
            var scene = try await reader.read($0, of: files)
            let chance = Int(scene.digest[0]) << 16 | Int(scene.digest[1]) << 8 | Int(scene.digest[2])
            if chance * total >= Self.mostWhole << 24 {
                scene.trim(to: min(Self.learnedProposals(ofPictures: total), max(2, 25 * Self.mostWhole / total)))
            }
            return scene
        } deliver: { scene, result in
            done += 1
            switch result {
            case .success(let read): scenes.append(read)
            case .failure(let reason):
                failed += 1
                skipped.add(scene.picture.path, reason.description)
            }
            progress(.reading(done: done, skipped: failed, total: total))
        }
        return scenes
    }

    /// Throws if no picture, or no box of a label, can be used.
    private static func check(
        _ scenes: [ReadScene],
        _ known: BoxTrainingPictures,
        _ skipped: SkippedPictures
    ) throws {
        guard !scenes.isEmpty else {
            throw EvaluationError.noUsablePicture(
                path: known.files.name,
                reason: skipped.pictures.first.map { "\($0.path): \($0.reason)" } ?? "none was found."
            )
        }
        let found = Set(scenes.flatMap { $0.drawn.map(\.label) })
        for (index, label) in known.labels.enumerated().dropFirst() where !found.contains(index) {
            let lost = Set(known.scenes.filter { $0.boxes.contains { $0.label == index } }.map(\.picture.path))
            let first = skipped.pictures.first { lost.contains($0.path) }
            throw TrainingError.noUsableBox(
                label: label,
                reason: first.map { "\($0.path): \($0.reason)" } ?? "its boxes lie outside of their pictures."
            )
        }
    }

    private func metadata(
        _ summary: BoxTrainingSummary,
        _ description: ModelSidecar.Proposals,
        license: String?
    ) throws -> ClassifierMetadata {
        var metadata = ClassifierMetadata(
            name: summary.name,
            description: summary.description,
            labels: summary.pictures.labels
        )
        metadata.license = license
        metadata.normalization = extractor.normalization
        metadata.scoreThreshold = summary.pair.threshold.map(Float.init)
        metadata.inputDescription = "The part of a picture that a detector proposes, stretched to a square."
        var sidecar = ModelSidecar(proposals: description)
        sidecar.input = extractor.sidecar?.input
        // An object fills its box, so nothing of it may be cut off.
        sidecar.input?.fit = .stretch
        sidecar.iouThreshold = Float(NamedProposals.suppression)
        sidecar.scoreThreshold = metadata.scoreThreshold
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        metadata.files = [(ModelSidecar.packedName, try encoder.encode(sidecar) + Data("\n".utf8))]
        return metadata
    }

    private func singleMetadata(_ summary: BoxTrainingSummary) -> ClassifierMetadata {
        var metadata = ClassifierMetadata(
            name: summary.name,
            description: summary.description,
            labels: Array(summary.pictures.labels.dropFirst())
        )
        metadata.license = cellExtractor.license
        metadata.normalization = cellExtractor.normalization
        metadata.scoreThreshold = summary.single.threshold.map(Float.init)
        metadata.inputDescription = "The whole picture, stretched to a square."
        return metadata
    }
}

/// The progress of a training from boxes.
public enum BoxTrainingProgress: Sendable, Hashable {
    /// Boxes are proposed, and their content is turned into features.
    case reading(done: Int, skipped: Int, total: Int)
    /// The share of the drawn boxes that are proposed is known.
    case covered(ProposalCoverage)
    /// Layers are fitted: those that are measured, and at last the layer of the model.
    case fitting(done: Int, total: Int)
}

/// The options of a training from boxes, which are those of every training.
@dynamicMemberLookup
public struct BoxTrainerOptions: Sendable, Hashable {
    /// The options of every training. Each is also an option of this value: `options.seed` is `options.shared.seed`.
    public var shared: TrainerOptions

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

    /// The proposals that are tried.
    static var proposals: ModelSidecar.Proposals { ModelSidecar.Proposals() }
}
