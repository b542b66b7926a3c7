import TensorFlowLite

/// The probability that each place of a picture shows the foreground, for example the person of a selfie.
package struct ForegroundMap: Sendable, Hashable {
    /// The number of columns and rows of places.
    package let size: PixelSize
    /// The probability of each place, 0…1, row by row from the top left corner of the upright picture.
    package let values: [Float]
}

/// A compiled model that gives the probability of one class for each place of a picture, as MediaPipe's models for selfies do.
package final class ForegroundSegmenter: Sendable {
    private let head: ForegroundHead
    private let input: ImageInput
    private let fit: ImageFit
    private let pool: WorkerPool<ModelRunner>

    /// Reads and compiles a model. It needs neither labels nor a name with "selfie".
    ///
    /// - Throws: `LocalModelError` if the model cannot be read or has another kind of output, and the errors of the runtime.
    package init(_ model: LocalModel) throws {
        let files = try ModelFiles(model, threads: 1)
        guard let head = try ForegroundHead.byShape(files) else {
            throw LocalModelError.output(
                model: files.name,
                reason: "it does not give one probability for each place of a picture"
            )
        }
        let input = try ImageInput(files, floatRange: head.floatRange, channels: head.channels)
        (self.head, self.input, fit) = (head, input, files.sidecar.fit(preferred: head.fit))
        pool = try WorkerPool(count: 1) { try ModelRunner(files: files, input: input, threads: 1) }
    }

    /// The probabilities in a picture, computed on the calling thread.
    ///
    /// - Parameter isRaw: whether the places are those of the model, which cover the whole picture, instead of the pixels of the upright
    ///   picture, between which probabilities are interpolated.
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if the model gives NaN, `InterpreterError` if the runtime fails.
    package func map(of image: VisionImage, isRaw: Bool) throws -> ForegroundMap {
        try pool.withWorkerBlocking { runner in
            let placement = Placement(PixelRect(image.size), into: input.format.size, fit: fit)
            try runner.write(placement, of: image.decoded(for: [placement]))
            try runner.run()
            let grid = try head.probabilities(runner.interpreter, values: &runner.outputs)
            return isRaw
                ? ForegroundMap(size: grid.size, values: grid.values)
                : ForegroundMap(size: image.size, values: grid.values(in: image.size, placement))
        }
    }
}
