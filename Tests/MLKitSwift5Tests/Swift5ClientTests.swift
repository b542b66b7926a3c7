import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// Code of the kind that was written before Swift's strict concurrency: closures that capture what they like.
@Suite(.hangLimit)
struct Swift5ClientTests {
    /// Belongs to no actor, is not Sendable, and changes itself in callbacks.
    private final class Worker {
        var count = 0
        let objectDetector = ObjectDetector.objectDetector(options: ObjectDetectorOptions())
        let labeler = ImageLabeler.imageLabeler(options: ImageLabelerOptions())

        func detect(in image: VisionImage, done: @escaping () -> Void) {
            objectDetector.process(image) { [weak self] objects, error in
                guard error == nil, let objects = objects, !objects.isEmpty else { return }
                self?.count += objects.count
                done()
            }
        }

        func label(_ image: VisionImage, done: @escaping (String) -> Void) {
            var best = ""
            labeler.process(image) { labels, error in
                guard error == nil, let labels = labels else { return }
                best = labels.first?.text ?? "nothing"
                done(best)
            }
        }

        func delete(_ model: RemoteModel, done: @escaping (Error?) -> Void) {
            ModelManager.modelManager().deleteDownloadedModel(model, completion: done)
        }
    }

    @Test func closuresCaptureWhatTheyLike() async throws {
        let worker = Worker()
        let image = try VisionImage(contentsOf: TestData.fixture("images/large.png"))
        await withCheckedContinuation { continuation in worker.detect(in: image) { continuation.resume() } }
        #expect(worker.count == 1)
        let text = await withCheckedContinuation { continuation in
            worker.label(image) { continuation.resume(returning: $0) }
        }
        #expect(!text.isEmpty)
    }

    @Test func aCallbackMayBeKept() async throws {
        let image = try VisionImage(contentsOf: TestData.fixture("images/large.png"))
        let detector = ObjectDetector.objectDetector(options: ObjectDetectorOptions())
        let callback: ObjectDetectionCallback = { objects, error in }
        detector.process(image, completion: callback)
        #expect(try await detector.process(image).count == 1)
    }
}
