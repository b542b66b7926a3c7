import Foundation
import MLKit
import SightlineTestSupport
import Synchronization
import Testing

/// Callbacks come exactly once, on the main queue, whatever happens.
@Suite(.hangLimit)
struct CallbackTests {
    /// Counts the calls of each callback.
    private final class Calls: Sendable {
        private let counts = Mutex<[Int: Int]>([:])
        private let others = Mutex(0)

        func add(_ number: Int, isSound: Bool) {
            counts.withLock { $0[number, default: 0] += 1 }
            if !isSound || !isOnMainQueue { others.withLock { $0 += 1 } }
        }

        /// Waits until so many callbacks have come, then a little longer for those that must not come.
        func settle(_ count: Int) async throws {
            try await wait(while: { counts.withLock({ $0.count }) < count })
            try await Task.sleep(for: .milliseconds(50))
        }

        var areAllOne: Bool { counts.withLock { $0.values.allSatisfy { $0 == 1 } } }
        var unsound: Int { others.withLock { $0 } }
    }

    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
        var all: [Int] { numbers.withLock { $0 } }
    }

    private static func detector(_ model: String, mode: ObjectDetectorMode) -> ObjectDetector {
        let options = CustomObjectDetectorOptions(localModel: LocalModel(path: model))
        options.shouldEnableClassification = true
        options.detectorMode = mode
        return ObjectDetector.objectDetector(options: options)
    }

    @Test(arguments: 1...4)
    func whateverIsAskedIsAnsweredOnce(seed: UInt64) async throws {
        var random = RepeatableRandom(seed: seed)
        let models = [Sample.classifier, "/nowhere/model.tflite", Sample.model("ssd"), Sample.model("classifier_nan")]
        let images = [
            try Sample.image(), try Sample.image(Sample.empty),
            try VisionImage(data: Data(contentsOf: TestData.fixture("images/large.png")).prefix(2500)),
        ]
        let calls = Calls()
        let count = 60
        for number in 0..<count {
            let (model, image) = (
                models[Int.random(in: 0..<4, using: &random)], images[Int.random(in: 0..<3, using: &random)]
            )
            // Each lives no longer than the call.
            if Bool.random(using: &random) {
                let mode = Bool.random(using: &random) ? ObjectDetectorMode.stream : .singleImage
                Self.detector(model, mode: mode).process(image) { objects, error in
                    calls.add(number, isSound: (objects == nil) != (error == nil))
                }
            } else {
                ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(localModel: LocalModel(path: model)))
                    .process(image) { labels, error in calls.add(number, isSound: (labels == nil) != (error == nil)) }
            }
        }
        try await calls.settle(count)
        #expect(calls.areAllOne && calls.unsound == 0)
    }

    @Test func answersComeInTheOrderOfTheQuestions() async throws {
        let detector = Self.detector(Sample.classifier, mode: .singleImage)
        let order = Order()
        let image = try Sample.image()
        await withCheckedContinuation { continuation in
            for number in 0..<20 {
                detector.process(image) { _, _ in
                    order.add(number)
                    if number == 19 { continuation.resume() }
                }
            }
        }
        #expect(order.all == Array(0..<20))
    }

    @Test func aTaskThatIsCancelledBeforeItsTurnGetsAnErrorAndTheOthersTheirResults() async throws {
        let detector = Self.detector(Sample.classifier, mode: .singleImage)
        let tasks = (0..<20).map { _ in
            Task {
                do { return try await detector.process(Sample.image()).count } catch { return -(error as NSError).code }
            }
        }
        for number in stride(from: 1, to: 20, by: 2) { tasks[number].cancel() }
        for (number, task) in tasks.enumerated() {
            let value = await task.value
            // One that was cancelled may have had its turn by then.
            #expect(value == 1 || (number % 2 == 1 && value == -1))
        }
    }

    @Test func aCancelledTaskGetsAnErrorOfCodeOne() async throws {
        let detector = Self.detector(Sample.classifier, mode: .singleImage)
        let task = Task { () -> NSError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do { _ = try await detector.process(Sample.image()) } catch { return error as NSError }
            return nil
        }
        let error = await task.value
        #expect(error?.domain == "com.google.mlkit" && error?.code == 1)
    }

    @Test func oneDetectorServesManyThreads() async throws {
        let detector = Self.detector(Sample.classifier, mode: .stream)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    if number % 2 == 0 {
                        #expect(throws: Never.self) { try detector.results(in: Sample.image()) }
                    } else {
                        await #expect(throws: Never.self) { try await detector.process(Sample.image()) }
                    }
                }
            }
        }
    }
}
