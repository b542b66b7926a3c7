public import Foundation
public import TensorFlowLite

/// An int8 form of a float model, calibrated with pictures.
///
/// ```swift
/// let calibration = try ModelCalibration(of: LocalModel(url: url), pictures: photos)
/// try calibration.optimized.model.data.write(to: fasterURL)
/// ```
///
/// The pictures are prepared as for the model's use: as its metadata, its sidecar, or its kind asks for.
public struct ModelCalibration: Sendable {
    /// The int8 model, and what was rewritten.
    public let optimized: OptimizedModel
    /// The number of pictures that were used.
    public let pictureCount: Int
    /// The names of the pictures that cannot be read.
    public let unreadable: [String]

    /// The maximum number of pictures. If there are more, pictures at equal distances are used.
    public static let maximumPictures = 300
    /// With fewer pictures, ranges of values are uncertain.
    public static let recommendedPictures = 50

    /// Prepared pictures of so many bytes stay in memory; others are read again when they are needed.
    private static let keptBytes = 256 << 20

    /// Calibrates a model.
    ///
    /// - Parameters:
    ///   - local: A float model for pictures.
    ///   - pictures: Files of pictures such as the model sees in use, some hundred.
    ///   - scoreThreshold: The score, 0…1, below which the caller ignores all boxes; nil to keep the model's own threshold.
    ///   - progress: Called with the work that is done and all work of the present step.
    /// - Throws: ``CalibrationError``, `ModelQuantizerError`, `LocalModelError` if the files cannot be used, `CancellationError`, or an
    ///   error of the runtime.
    /// - Complexity: Some hundred runs of the model, and some runs for each of its layers.
    public init(
        of local: LocalModel,
        pictures: [URL],
        scoreThreshold: Float? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws {
        let files = try ModelFiles(local)
        let float = try Self.rewritten(files.tensorFlowLiteModel(), scoreThreshold)
        let writer = try PictureWriter(files)
        let step = max((pictures.count + Self.maximumPictures - 1) / Self.maximumPictures, 1)
        let chosen = pictures.enumerated().filter { $0.offset.isMultiple(of: step) }.map(\.element)
        var readable: [URL] = []
        var (unreadable, kept): ([String], [[Data]]) = ([], [])
        var bytes = 0
        for (number, url) in chosen.enumerated() {
            try Task.checkCancellation()
            do {
                let inputs = try writer.inputs(for: url)
                bytes += inputs.reduce(0) { $0 + $1.count }
                readable.append(url)
                if kept.count == readable.count - 1, bytes <= Self.keptBytes { kept.append(inputs) }
            } catch is ImageError {
                unreadable.append(url.relativePath)
            }
            progress(number + 1, chosen.count)
        }
        guard !readable.isEmpty else { throw CalibrationError.noReadablePicture(count: chosen.count) }
        let samples = CalibrationSamples(count: readable.count) { [readable, kept] number in
            try kept.indices.contains(number) ? kept[number] : writer.inputs(for: readable[number])
        }
        let quantized = try ModelQuantizer().quantized(
            float.model,
            with: samples,
            inputShapes: writer.inputShapes(of: float.model),
            progress: progress
        )
        optimized = quantized.following(float.plan)
        pictureCount = readable.count
        self.unreadable = unreadable
    }

    /// The model after the rewrites that keep its answers.
    private static func rewritten(_ model: Model, _ threshold: Float?) throws -> (model: Model, plan: OptimizationPlan?)
    {
        do {
            let result = try ModelOptimizer(scoreThreshold: threshold).optimized(model)
            guard result.plan.rewrites.allSatisfy(\.isExact) else { throw ModelQuantizerError.alreadyQuantized }
            return (result.model, result.plan)
        } catch ModelOptimizerError.nothingToGain {
            return (model, nil)
        }
    }
}

/// A reason why pictures cannot calibrate a model.
public enum CalibrationError: Error, Sendable, Hashable {
    /// Sightline does not know how to prepare pictures for the model.
    case notForPictures(model: String)
    /// The model names the boxes of another model.
    case namesProposals(model: String)
    /// None of the pictures can be read.
    case noReadablePicture(count: Int)
}

extension CalibrationError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .notForPictures(let model):
            "\(model) is neither a detector nor a classifier that Sightline knows, so it cannot prepare pictures to calibrate it; "
                + "`sightline inspect` shows what the model lacks."
        case .namesProposals(let model):
            "\(model) names the boxes of another model; calibrate that model and this one before you join them."
        case .noReadablePicture(let count):
            "None of the \(count) pictures for the calibration can be read; name a folder of photos that open elsewhere."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

/// Prepares pictures as inputs of a model.
private struct PictureWriter {
    private let runner: ModelRunner
    private let size: PixelSize
    private let fit: ImageFit

    init(_ files: ModelFiles) throws {
        if let classifier = try? Classifier(files: files) {
            runner = try classifier.makeRunner(threads: 1)
            (size, fit) = (classifier.input.format.size, classifier.fit(preferred: .crop))
        } else if let detection = try? DetectionModel(files: files) {
            guard detection.proposer == nil else { throw CalibrationError.namesProposals(model: files.name) }
            runner = try detection.makeRunner(threads: 1).full
            (size, fit) = (detection.input.format.size, detection.fit)
        } else {
            throw CalibrationError.notForPictures(model: files.name)
        }
    }

    /// The shapes of the inputs; nil for those of the file.
    func inputShapes(of model: Model) -> [[Int]]? {
        runner.input.resizedShape.map { shape in
            model.inputs.indices.map { $0 == runner.input.index ? shape : model.inputs[$0].shape.dimensions }
        }
    }

    /// The bytes of each input for a picture.
    func inputs(for url: URL) throws -> [Data] {
        let picture = try VisionImage(contentsOf: url)
        let placement = Placement(PixelRect(picture.size), into: size, fit: fit)
        try runner.write(placement, of: try picture.decoded(for: [placement]))
        return try (0..<runner.interpreter.inputTensorCount).map { index in
            try runner.interpreter.withMutableInput(at: index) { Data($0) }
        }
    }
}
