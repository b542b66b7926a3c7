import Firebase
import Foundation
import HubTestSupport
import SightlineTestSupport
import Synchronization
import TensorFlowLite
import Testing

@Suite(.hangLimit)
struct ModelManagerTests {
    private static let conditions = ModelDownloadConditions(
        allowsCellularAccess: true,
        allowsBackgroundDownloading: true
    )

    @Test func aDownloadIsToldOnceAndItsFileRuns() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("told_once", Data(contentsOf: TestData.fixture("models/add.tflite")))
            let model = CustomRemoteModel(name: "told_once")
            let manager = ModelManager.modelManager()
            #expect(!manager.isModelDownloaded(model))
            let ends = DownloadEnds(of: "told_once")
            let progress = manager.download(model, conditions: Self.conditions)
            let end = await ends.next()
            #expect(end.error == nil && end.model === model && end.isMain)
            #expect(progress.isFinished && progress.fractionCompleted == 1)
            #expect(manager.isModelDownloaded(model))

            // One that is the latest already is reported as well.
            manager.download(model, conditions: Self.conditions)
            #expect(await ends.next().error == nil)
            #expect(ends.count == 2)

            let path = try #require(await pathOfLatest(model).path)
            #expect(try Interpreter(modelPath: path).inputTensorCount == 1)
            try await manager.deleteDownloadedModel(model)
            #expect(!manager.isModelDownloaded(model))
            #expect(await pathOfLatest(model).error?.code == 9)
        }
    }

    @Test func aFailureIsToldOnceAsAnNSError() async throws {
        try await DefaultApp.withHub { hub in
            let model = AutoMLRemoteModel(name: "no_such_model")
            let ends = DownloadEnds(of: "no_such_model")
            let progress = ModelManager.modelManager().download(model, conditions: ModelDownloadConditions())
            let end = await ends.next()
            #expect(end.error?.domain == "com.firebase.ml" && end.error?.code == 5 && end.isMain)
            #expect(end.model === model && !progress.isFinished && ends.count == 1)
        }
    }

    @Test func withoutAnAppADownloadFailsAndSaysSo() async throws {
        try await DefaultApp.with(nil) {
            let ends = DownloadEnds(of: "no_app")
            let model = CustomRemoteModel(name: "no_app")
            ModelManager.modelManager().download(model, conditions: Self.conditions)
            let error = await ends.next().error
            #expect(error?.code == 9 && error?.localizedDescription.contains("FirebaseApp.configure()") == true)
            #expect(ends.count == 1 && !ModelManager.modelManager().isModelDownloaded(model))
        }
    }

    @Test func deletingWhatIsNotThereIsToldOnceOnTheMainQueue() async throws {
        try await DefaultApp.withHub { _ in
            let calls = Counter()
            let error = await withCheckedContinuation { continuation in
                ModelManager.modelManager().deleteDownloadedModel(AutoMLRemoteModel(name: "gone")) { error in
                    #expect(isOnMainQueue)
                    calls.add()
                    continuation.resume(returning: error as NSError?)
                }
            }
            #expect(error?.domain == "com.firebase.ml" && error?.code == 5)
            #expect(calls.count == 1)
        }
    }

    @Test func aManagerOfAnotherAppHasItsModels() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("other_app", Data(contentsOf: TestData.fixture("models/add.tflite")))
            let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
            options.values.hub = DefaultApp.options(of: hub, folder: folder)
            FirebaseApp.configure(name: "manager-tests", options: options)
            let app = try #require(FirebaseApp.app(name: "manager-tests"))
            let model = CustomRemoteModel(name: "other_app")
            let ends = DownloadEnds(of: "other_app")
            ModelManager.modelManager(app: app).download(model, conditions: Self.conditions)
            #expect(await ends.next().error == nil)
            #expect(ModelManager.modelManager(app: app).isModelDownloaded(model))
            await app.delete()
        }
    }

    @Test func modelsAndConditionsAreComparedByWhatTheySay() {
        #expect(CustomRemoteModel(name: "a") == CustomRemoteModel(name: "a"))
        #expect(CustomRemoteModel(name: "a") as RemoteModel != AutoMLRemoteModel(name: "a"))
        #expect(ModelDownloadConditions().copy() as? ModelDownloadConditions == ModelDownloadConditions())
        #expect(ModelDownloadConditions() != Self.conditions)
    }
}

/// The ends of downloads of one model, by the notifications.
final class DownloadEnds {
    struct End: Sendable {
        let model: RemoteModel?
        let error: NSError?
        let isMain: Bool
    }

    private let stream: AsyncStream<End>
    private let counter = Counter()
    private var observers: [any NSObjectProtocol] = []

    var count: Int { counter.count }

    init(of name: String) {
        let (stream, continuation) = AsyncStream.makeStream(of: End.self)
        self.stream = stream
        observers = [.firebaseMLModelDownloadDidSucceed, .firebaseMLModelDownloadDidFail].map { kind in
            NotificationCenter.default.addObserver(forName: kind, object: nil, queue: nil) { [counter] notification in
                let info = notification.userInfo ?? [:]
                let model = info[ModelDownloadUserInfoKey.remoteModel.rawValue] as? RemoteModel
                guard model?.name == name else { return }
                let error = info[ModelDownloadUserInfoKey.error.rawValue] as? NSError
                #expect((error == nil) == (kind == .firebaseMLModelDownloadDidSucceed))
                counter.add()
                continuation.yield(End(model: model, error: error, isMain: isOnMainQueue))
            }
        }
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    /// The next end, or one that came before it was asked for.
    func next() async -> End {
        for await end in stream { return end }
        return End(model: nil, error: nil, isMain: false)
    }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}
