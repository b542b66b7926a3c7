import Foundation
import TensorFlowLite

/// Turns pictures into the numbers from which the built-in detector names the cells of its grids, and the boxes of these cells.
///
/// An extractor may be used from many tasks at once; each of its workers has a compiled model of its own.
package final class CellExtractor: Sendable {
    /// The detector without its last layers.
    package let trunk: CellTrunk
    /// The model that computes the cells.
    package let model: Model
    /// The conversion of pixel values to elements, if the model's file has to state it; nil for bytes that are stored as they are.
    package let normalization: TensorMetadata.Normalization?
    /// The size of the model's picture in pixels.
    package var inputSize: PixelSize { input.format.size }

    /// The license of the detector; nil if its file does not state it.
    package let license: String?

    private let input: ImageInput
    private let fit: ImageFit
    private let pool: WorkerPool<ModelRunner>

    /// Reads the built-in detector, cuts it and compiles it.
    ///
    /// - Throws: `LocalModelError`, `ModelTrunkError` if it cannot be cut, `RuntimeError`, `ModelError.rejectedByRuntime(reason:)` or
    ///   `InterpreterError`.
    package init(workers: Int) throws {
        let detection = try DetectionModel(.builtInDetector)
        guard let objectClass = detection.head.objectClass else {
            throw ModelTrunkError.layout(reason: "none of its classes stands for any object")
        }
        trunk = try CellTrunk(
            of: detection.files.tensorFlowLiteModel(),
            objectClass: objectClass,
            inputShape: detection.input.resizedShape
        )
        model = try trunk.cells()
        license = detection.files.model.metadata?.license
        fit = detection.fit
        input = detection.input.alone
        let format = input.format
        normalization = format.quantization.map { _ in
            TensorMetadata.Normalization(mean: format.mean, standardDeviation: format.standardDeviation)
        }
        pool = try WorkerPool(count: workers) { [model, input] in try ModelRunner(model, input: input, threads: 1) }
    }

    /// The cells of a picture, as the model gives them: the outputs of ``CellTrunk/cells()``, one after another.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `InterpreterError` if the runtime fails, `CancellationError` if the task
    ///   is cancelled while it waits.
    package func storedCells(of image: VisionImage) async throws -> Data {
        try await pool.withWorker { runner in
            let placement = Placement(PixelRect(image.size), into: input.format.size, fit: fit)
            try runner.write(placement, of: try image.decoded(for: [placement]))
            try runner.run()
            var stored = Data()
            for index in 0..<runner.interpreter.outputTensorCount {
                try runner.interpreter.withOutput(at: index) { stored.append(contentsOf: $0) }
            }
            return stored
        }
    }
}
