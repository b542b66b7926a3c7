import Firebase
import HubTestSupport
import SightlineTestSupport
import Testing

/// Observers on the main queue, which most apps have, and callbacks that post to them.
@Suite(.hangLimit)
struct MainQueueTests {
    /// Waits for a notification with an observer on the main queue; gives whether that was on the main queue.
    private static func observe(_ name: Notification.Name, while start: () throws -> Void) async rethrows -> Bool {
        let (calls, continuation) = AsyncStream<Bool>.makeStream()
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
            continuation.yield(isOnMainQueue)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try start()
        for await isMain in calls { return isMain }
        return false
    }

    @Test func anObserverOnTheMainQueueHearsOfADownload() async throws {
        try await DefaultApp.with(nil) {
            let isMain = await Self.observe(.firebaseMLModelDownloadDidFail) {
                ModelManager.modelManager().download(
                    CustomRemoteModel(name: "plants"),
                    conditions: ModelDownloadConditions()
                )
            }
            #expect(isMain)
        }
    }

    @Test func theCallbackOfADetectorMayPost() async throws {
        let name = Notification.Name("MainQueueTests.detector")
        let isMain = try await Self.observe(name) {
            let image = try VisionImage(contentsOf: TestData.fixture("images/large.png"))
            Vision.vision().objectDetector().process(image) { _, _ in
                NotificationCenter.default.post(name: name, object: nil)
            }
        }
        #expect(isMain)
    }

    @Test func theCallbackOfAnInterpreterMayPost() async throws {
        let name = Notification.Name("MainQueueTests.interpreter")
        let isMain = await Self.observe(name) {
            ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: "/nowhere"))
                .inputIndex(opName: "input") { _, _ in NotificationCenter.default.post(name: name, object: nil) }
        }
        #expect(isMain)
    }

    @Test func theCallbackOfADeletedAppMayPost() async throws {
        let name = Notification.Name("MainQueueTests.app")
        FirebaseApp.configure(name: "main-queue", options: FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2"))
        let app = try #require(FirebaseApp.app(name: "main-queue"))
        let isMain = await Self.observe(name) {
            app.delete { _ in NotificationCenter.default.post(name: name, object: nil) }
        }
        #expect(isMain)
    }

    @Test func aProgramWithARunLoopIsCalledOnItsMainThread() async throws {
        #expect(try await Program("FirebaseCallbackProbe").lines(["runloop"]) == ["observer true", "callback"])
    }

    @Test func aProgramThatEndsWithDispatchMainIsCalled() async throws {
        let lines = try await Program("FirebaseCallbackProbe").lines(["dispatch"])
        #expect(lines.map { $0.prefix(8) } == ["observer", "callback"])
    }
}
