import Foundation
import HubTestSupport
import MLKit
import SightlineTestSupport
import Synchronization
import Testing

/// ML Kit's model manager against a real hub on loopback.
@Suite(.hangLimit)
struct ModelManagerTests {
    private static func remote(_ name: String = "plants") -> CustomRemoteModel {
        CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: name))
    }

    private static var manager: ModelManager { .modelManager() }

    /// Downloads a model and gives the error of its notification, or nil after a success.
    private static func download(
        _ model: CustomRemoteModel,
        onStart: (Progress) -> Void = { _ in }
    ) async throws -> (progress: Progress, error: NSError?) {
        let (ends, continuation) = AsyncStream<NSError?>.makeStream()
        let names: [NSNotification.Name] = [.mlkitModelDownloadDidSucceed, .mlkitModelDownloadDidFail]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                let info = notification.userInfo
                guard (info?[ModelDownloadUserInfoKey.remoteModel.rawValue] as? RemoteModel) === model else { return }
                #expect(isOnMainQueue)
                let error = info?[ModelDownloadUserInfoKey.error.rawValue] as? NSError
                #expect((error == nil) == (name == .mlkitModelDownloadDidSucceed))
                continuation.yield(error)
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        let progress = manager.download(model, conditions: ModelDownloadConditions())
        onStart(progress)
        for await error in ends { return (progress, error) }
        throw CancellationError()
    }

    @Test func aModelIsDownloadedUsedAndDeleted() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            let model = Self.remote()
            #expect(!Self.manager.isModelDownloaded(model))
            let (progress, error) = try await Self.download(model)
            #expect(error == nil && progress.isFinished && progress.fractionCompleted == 1)
            #expect(Self.manager.isModelDownloaded(model))

            let labeler = ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(remoteModel: model))
            let local = CustomImageLabelerOptions(localModel: LocalModel(path: Sample.classifier))
            let expected = try await ImageLabeler.imageLabeler(options: local).process(Sample.image()).map(\.text)
            #expect(try await labeler.process(Sample.image()).map(\.text) == expected)
            #expect(!expected.isEmpty)

            try await Self.manager.deleteDownloadedModel(model)
            #expect(!Self.manager.isModelDownloaded(model))
            // It continues with the model that it has.
            #expect(try await labeler.process(Sample.image()).map(\.text) == expected)
        }
    }

    @Test func theThresholdThatTheHubNamesCountsUnlessOneIsSet() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            try await hub.setThreshold(0, of: "plants")
            #expect(try await Self.download(Self.remote()).error == nil)
            let options = CustomImageLabelerOptions(remoteModel: Self.remote())
            // The threshold in the model's metadata is 0.35.
            #expect(try await ImageLabeler.imageLabeler(options: options).process(Sample.image()).count == 3)
            options.confidenceThreshold = 0.35
            #expect(try await ImageLabeler.imageLabeler(options: options).process(Sample.image()).count < 3)
        }
    }

    @Test func aModelThatIsCurrentSucceedsAgain() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            for _ in 0..<2 { #expect(try await Self.download(Self.remote()).error == nil) }
        }
    }

    @Test func aModelThatNobodyPublishedIsNotFound() async throws {
        try await DefaultApp.withHub { _ in
            let (progress, error) = try await Self.download(Self.remote("weeds"))
            #expect(error?.domain == "com.google.mlkit" && error?.code == 5)
            #expect(!progress.isFinished)
        }
    }

    @Test(arguments: ["", "../plants", "a b"])
    func aNameThatIsNoneIsAnInvalidArgument(_ name: String) async throws {
        try await DefaultApp.withHub { _ in
            let error = try await Self.download(Self.remote(name)).error
            #expect(error?.code == 3)
            #expect(!Self.manager.isModelDownloaded(Self.remote(name)))
        }
    }

    @Test func aWrongKeyIsRefused() async throws {
        try await ClientHub.with { hub, folder in
            try await DefaultApp.with(DefaultApp.options(hub: hub.address, key: "wrong", folder: folder)) {
                let error = try await Self.download(Self.remote()).error
                #expect(error?.code == 7)
            }
        }
    }

    @Test func withoutAnAppEverythingFailsPolitely() async throws {
        try await DefaultApp.with(nil) {
            let model = Self.remote()
            #expect(!Self.manager.isModelDownloaded(model))
            let (progress, error) = try await Self.download(model)
            #expect(progress.isCancelled)
            let deletion = await #expect(throws: NSError.self) { try await Self.manager.deleteDownloadedModel(model) }
            let use = await #expect(throws: NSError.self) {
                try await ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(remoteModel: model))
                    .process(Sample.image())
            }
            for error in [error, deletion, use] {
                #expect(error?.domain == "com.google.mlkit" && error?.code == 9)
                #expect(error?.localizedDescription.contains("FirebaseApp.configure()") == true)
            }
        }
    }

    @Test func aRemoteModelThatIsNotThereYetIsAnErrorUntilItIs() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            let options = CustomObjectDetectorOptions(remoteModel: Self.remote())
            options.shouldEnableClassification = true
            options.detectorMode = .singleImage
            let detector = ObjectDetector.objectDetector(options: options)
            let error = await #expect(throws: NSError.self) { try await detector.process(Sample.image()) }
            #expect(error?.domain == "com.google.mlkit" && error?.code == 9)
            #expect(error?.localizedDescription.contains("\"plants\" is not downloaded") == true)
            #expect(try await Self.download(Self.remote()).error == nil)
            #expect(try await detector.process(Sample.image()).first?.labels.isEmpty == false)
        }
    }

    @Test func deletingWhatIsNotThereIsNotFound() async throws {
        try await DefaultApp.withHub { _ in
            let error = await withCheckedContinuation { continuation in
                Self.manager.deleteDownloadedModel(Self.remote()) { error in
                    #expect(isOnMainQueue)
                    continuation.resume(returning: error as NSError?)
                }
            }
            #expect(error?.domain == "com.google.mlkit" && error?.code == 5)
            // The models that a hub publishes do not matter to it.
            #expect(error?.localizedDescription.contains("is not downloaded in") == true)
            #expect(error?.localizedDescription.contains("published") == false)
        }
    }

    @Test func deletingCallsBackWithoutAnError() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            #expect(try await Self.download(Self.remote()).error == nil)
            let error = await withCheckedContinuation { continuation in
                Self.manager.deleteDownloadedModel(Self.remote()) { continuation.resume(returning: $0 as NSError?) }
            }
            #expect(error == nil)
        }
    }

    @Test func aDownloadThatIsCancelledFailsOnce() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", Data(contentsOf: URL(filePath: Sample.classifier)))
            let (_, error) = try await Self.download(Self.remote()) { $0.cancel() }
            // It may have been quicker.
            #expect(error == nil || error?.code == 1)
        }
    }

    /// The classes with ML Kit's names take models in TensorFlow Lite.
    @Test func aModelInOnnxIsNotFound() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", OnnxBuilder.constant([("scores", [0.1, 0.9], [1, 2])]).data)
            let error = try await Self.download(Self.remote()).error
            #expect(error?.domain == "com.google.mlkit" && error?.code == 5)
            #expect(!Self.manager.isModelDownloaded(Self.remote()))
        }
    }
}
