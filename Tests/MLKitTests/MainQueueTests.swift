import Foundation
import HubTestSupport
import MLKit
import SightlineTestSupport
import Testing

/// Observers on the main queue, which most apps have, and callbacks that post to them.
@Suite(.hangLimit)
struct MainQueueTests {
    /// Waits for a notification with an observer on the main queue; gives whether that was on the main queue.
    private static func observe(_ name: Notification.Name, while start: () -> Void) async -> Bool {
        let (calls, continuation) = AsyncStream<Bool>.makeStream()
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
            continuation.yield(isOnMainQueue)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        start()
        for await isMain in calls { return isMain }
        return false
    }

    @Test func anObserverOnTheMainQueueHearsOfADownload() async throws {
        try await DefaultApp.with(nil) {
            let model = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "plants"))
            let isMain = await Self.observe(.mlkitModelDownloadDidFail) {
                ModelManager.modelManager().download(model, conditions: ModelDownloadConditions())
            }
            #expect(isMain)
        }
    }

    @Test func theCallbackOfALabelerMayPost() async throws {
        let name = Notification.Name("MainQueueTests.labeler")
        let image = try Sample.image()
        let isMain = await Self.observe(name) {
            ImageLabeler.imageLabeler(options: ImageLabelerOptions()).process(image) { _, _ in
                NotificationCenter.default.post(name: name, object: nil)
            }
        }
        #expect(isMain)
    }

    @Test func theCallbackOfADeletionMayPost() async throws {
        try await DefaultApp.with(nil) {
            let name = Notification.Name("MainQueueTests.deletion")
            let model = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "plants"))
            let isMain = await Self.observe(name) {
                ModelManager.modelManager().deleteDownloadedModel(model) { _ in
                    NotificationCenter.default.post(name: name, object: nil)
                }
            }
            #expect(isMain)
        }
    }

    @Test func aProgramWithARunLoopIsCalledOnItsMainThread() async throws {
        #expect(try await Program("CallbackProbe").lines(["runloop"]) == ["observer true", "callback"])
    }

    @Test func aProgramThatEndsWithDispatchMainIsCalled() async throws {
        let lines = try await Program("CallbackProbe").lines(["dispatch"])
        #expect(lines.map { $0.prefix(8) } == ["observer", "callback"])
    }
}
