package import Foundation
package import TensorFlowLite

/// Turns pictures, and parts of pictures, into the numbers from which a classifier's last layer computes its scores.
///
/// An extractor may be used from many tasks at once; each of its workers has its own compiled model.
package final class FeatureExtractor: Sendable {
    /// The classifier without its last layer.
    package let trunk: ModelTrunk
    /// The name of the model's file.
    package let name: String
    /// The conversion of pixel values to elements, if the model's file has to state it; nil for bytes that are stored as they are.
    package let normalization: TensorMetadata.Normalization?
    /// The sidecar of a model that is made of the trunk: the fit of pictures, where not cropped, and the order of colors.
    package let sidecar: ModelSidecar?
    /// A text that changes when the same picture leads to other features.
    package let identity: String

    private let input: ImageInput
    private let fit: ImageFit
    private let pool: WorkerPool<ModelRunner>

    /// Reads a classifier, cuts it and compiles it.
    ///
    /// - Parameter fit: The fit of parts of pictures; nil for the fit of the model's sidecar, or a crop.
    /// - Throws: `LocalModelError` if the model is not a classifier of pictures, `ModelTrunkError` if it cannot be cut, `RuntimeError`,
    ///   `ModelError.rejectedByRuntime(reason:)` or `InterpreterError`.
    package init(_ model: LocalModel, workers: Int, fit: ImageFit? = nil) throws {
        let classifier = try Classifier(model)
        let input = classifier.input
        trunk = try ModelTrunk(
            of: classifier.files.tensorFlowLiteModel(),
            output: classifier.head.output.index,
            inputShape: input.resizedShape
        )
        name = classifier.files.name
        self.fit = fit ?? classifier.fit(preferred: .crop)
        let format = input.format
        let isFloat = [.float32, .float16].contains(format.dataType)
        normalization =
            isFloat || format.quantization != nil
            ? TensorMetadata.Normalization(mean: format.mean, standardDeviation: format.standardDeviation) : nil
        sidecar = Self.sidecar(of: classifier.files.sidecar.input)
        let features = try trunk.features()
        self.input = input.alone
        identity = "\(format)\(self.fit)"
        pool = try WorkerPool(count: workers) { [input = self.input] in
            try ModelRunner(features, input: input, threads: 1)
        }
        self.features = features
    }

    /// The model that computes the features.
    package let features: Model

    private static func sidecar(of input: ModelSidecar.Input?) -> ModelSidecar? {
        guard let input, input.fit ?? .crop != .crop || input.channels == .bgr else { return nil }
        var sidecar = ModelSidecar()
        sidecar.input = ModelSidecar.Input()
        sidecar.input?.fit = input.fit
        sidecar.input?.anchor = input.anchor
        sidecar.input?.fill = input.fill
        sidecar.input?.channels = input.channels
        return sidecar
    }

    /// The features of parts of a picture, as the model stores them; ``ModelTrunk/values(of:)`` makes numbers of them.
    ///
    /// - Parameter regions: The parts, in pixels of the upright picture; nil for the whole picture.
    /// - Returns: ``ModelTrunk/byteCount`` bytes for each region.
    /// - Throws: `ImageError` if the picture cannot be decoded, `InterpreterError` if the runtime fails, `CancellationError` if the task
    ///   is cancelled while it waits.
    package func storedFeatures(of image: VisionImage, in regions: [PixelRect]? = nil) async throws -> [Data] {
        try await pool.withWorker { runner in
            let placements = (regions ?? [PixelRect(image.size)]).map {
                Placement($0, into: input.format.size, fit: fit)
            }
            let picture = try image.decoded(for: placements)
            return try placements.map { placement in
                try runner.write(placement, of: picture)
                try runner.run()
                var stored = Data()
                for index in 0..<runner.interpreter.outputTensorCount {
                    try runner.interpreter.withOutput(at: index) { stored.append(contentsOf: $0) }
                }
                return stored
            }
        }
    }
}
