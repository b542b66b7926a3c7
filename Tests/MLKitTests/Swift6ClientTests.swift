import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// Code in the language mode of Swift 6 that must compile, as the guide says.
@Suite(.hangLimit)
struct Swift6ClientTests {
    /// Of the main actor, as view controllers are.
    @MainActor
    private final class ViewController {
        private(set) var shown = 0
        private let objectDetector = ObjectDetector.objectDetector(options: ObjectDetectorOptions())

        /// The closure changes the controller.
        func show(_ image: VisionImage, then: @escaping () -> Void) {
            objectDetector.process(image) { [weak self] objects, error in
                guard error == nil, let objects = objects, !objects.isEmpty else { return }
                self?.shown += objects.count
                then()
            }
        }

        /// The closure changes a local variable.
        func count(in image: VisionImage, then: @escaping (Int) -> Void) {
            var found: [Object] = []
            objectDetector.process(image) { objects, error in
                found = objects ?? []
                then(found.count)
            }
        }

        /// A picture may be used again after it was awaited.
        func countTwice(in image: VisionImage) async throws -> Int {
            let first = try await objectDetector.process(image).count
            image.orientation = .down
            return try await objectDetector.process(image).count + first
        }
    }

    @MainActor private final class Screen {
        static var texts: [String] = []
        static func show(_ text: String) { texts.append(text) }
    }

    /// Belongs to no actor; its closure calls the main one.
    private func label(_ image: VisionImage, then: @escaping @Sendable () -> Void) {
        ImageLabeler.imageLabeler(options: ImageLabelerOptions()).process(image) { labels, error in
            Screen.show(labels?.first?.text ?? "nothing")
            then()
        }
    }

    @MainActor @Test func closuresOfTheMainActorChangeWhatTheyLike() async throws {
        let controller = ViewController()
        let image = try Sample.image()
        await withCheckedContinuation { continuation in controller.show(image) { continuation.resume() } }
        #expect(controller.shown == 1)
        let count = await withCheckedContinuation { continuation in
            controller.count(in: image) { continuation.resume(returning: $0) }
        }
        #expect(count == 1)
    }

    @MainActor @Test func picturesStayWithTheirActor() async throws {
        #expect(try await ViewController().countTwice(in: Sample.image()) > 0)
    }

    @Test func closuresOfNoActorCallTheMainOne() async throws {
        let image = try Sample.image()
        await withCheckedContinuation { continuation in label(image) { continuation.resume() } }
        #expect(await Screen.texts.count == 1)
    }
}
