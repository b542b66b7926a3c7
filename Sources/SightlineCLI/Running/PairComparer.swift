import CommandLineSupport
import Foundation
import Sightline

/// Runs two models of the same purpose on pictures.
struct PairComparer {
    /// Runs both models on a picture.
    private let compare: (VisionImage, inout PairAgreement) async throws -> Void

    /// - Parameter threshold: the confidence below which answers are dropped; nil for the threshold of each model.
    /// - Throws: `LocalModelError` and errors of the runtime.
    init(_ models: [LocalModel], task: ModelInspection.Purpose, threshold: Float?) throws {
        switch task {
        case .detection:
            let detectors = try models.map { model in
                var options = ObjectDetectorOptions(model: model)
                options.scoreThreshold = threshold
                return try ObjectDetector(options: options)
            }
            compare = { image, agreement in
                let first = try await detectors[0].result(in: image)
                agreement.count(first, try await detectors[1].result(in: image))
            }
        case .labeling:
            let labelers = try models.map { model in
                var options = ImageLabelerOptions(model: model)
                options.confidenceThreshold = threshold
                return try ImageLabeler(options: options)
            }
            compare = { image, agreement in
                let first = try await labelers[0].result(in: image)
                agreement.count(first, try await labelers[1].result(in: image))
            }
        }
    }

    /// Compares the models on pictures. A picture that cannot be read is reported and left out.
    ///
    /// - Returns: the agreement, and the number of pictures that failed.
    func compare(_ pictures: [URL]) async throws -> (PairAgreement, failed: Int) {
        var (agreement, failed) = (PairAgreement(), 0)
        var progress = PictureProgress()
        for (index, file) in pictures.enumerated() {
            do {
                try await compare(VisionImage(contentsOf: file), &agreement)
            } catch let error as ImageError {
                progress.clear()
                failed += 1
                StandardError.report("\(file.relativePath): \(sentence(for: error))")
            }
            progress.show(done: index + 1, of: pictures.count, failed: failed)
        }
        progress.clear()
        return (agreement, failed)
    }
}
