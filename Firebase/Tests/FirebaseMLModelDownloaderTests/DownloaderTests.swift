import FirebaseCore
import FirebaseMLModelDownloader
import Foundation
import HubTestSupport
import SightlineTestSupport
import Synchronization
import TensorFlowLite
import Testing

/// Against a hub as it is.
@Suite(.hangLimit)
struct DownloaderTests {
    private static let file = TestData.fixture("models/add.tflite")

    @Test func aModelIsDownloadedListedRunAndDeleted() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("adder", Data(contentsOf: Self.file))
            let downloader = ModelDownloader.modelDownloader()
            #expect(try await downloader.listDownloadedModels() == [])
            let model = try await downloader.getModel(
                name: "adder",
                downloadType: .latestModel,
                conditions: ModelDownloadConditions(allowsCellularAccess: true)
            )
            #expect(model.name == "adder")
            #expect(try Data(contentsOf: URL(filePath: model.path)) == Data(contentsOf: Self.file))
            #expect(model.size == (try Data(contentsOf: Self.file)).count && model.hash.count == 64)
            #expect(try await downloader.listDownloadedModels() == [model])

            let interpreter = try Interpreter(modelPath: model.path)
            try interpreter.allocateTensors()
            try interpreter.copy(withUnsafeBytes(of: (Float(1), Float(2))) { Data($0) }, toInputAt: 0)
            try interpreter.invoke()
            #expect(try interpreter.output(at: 0).data == withUnsafeBytes(of: (Float(3), Float(6))) { Data($0) })

            try await downloader.deleteDownloadedModel(name: "adder")
            #expect(try await downloader.listDownloadedModels() == [])
            await #expect(throws: DownloadedModelError.notFound) {
                try await downloader.deleteDownloadedModel(name: "adder")
            }
        }
    }

    @Test func handlersAreCalledOnTheMainQueueAndTheCompletionOnce() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("large", model(1, byteCount: 1_000_000))
            let events = Events()
            let result = await withCheckedContinuation { continuation in
                ModelDownloader.modelDownloader().getModel(
                    name: "large",
                    downloadType: .latestModel,
                    conditions: ModelDownloadConditions()
                ) { fraction in
                    #expect(isOnMainQueue && (0...1).contains(fraction))
                    events.add("progress")
                } completion: { result in
                    #expect(isOnMainQueue)
                    events.add("completion")
                    continuation.resume(returning: result)
                }
            }
            #expect(try result.get().size == model(1, byteCount: 1_000_000).count)
            #expect(events.all.filter { $0 == "completion" }.count == 1)
            #expect(events.all.first == "progress" && events.all.last == "completion")
            let models = await withCheckedContinuation { continuation in
                ModelDownloader.modelDownloader().listDownloadedModels { result in
                    #expect(isOnMainQueue)
                    continuation.resume(returning: result)
                }
            }
            #expect(try models.get().map(\.name) == ["large"])
            let deletion = await withCheckedContinuation { continuation in
                ModelDownloader.modelDownloader().deleteDownloadedModel(name: "large") { result in
                    #expect(isOnMainQueue)
                    continuation.resume(returning: result)
                }
            }
            try deletion.get()
        }
    }

    @Test func aCompletionMayPostToAnObserverOnTheMainQueue() async throws {
        try await DefaultApp.with(nil) {
            let name = Notification.Name("DownloaderTests.completion")
            let (calls, continuation) = AsyncStream<Bool>.makeStream()
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                continuation.yield(isOnMainQueue)
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            ModelDownloader.modelDownloader().getModel(
                name: "plants",
                downloadType: .latestModel,
                conditions: ModelDownloadConditions(),
                completion: { _ in NotificationCenter.default.post(name: name, object: nil) }
            )
            for await isMain in calls {
                #expect(isMain)
                break
            }
        }
    }

    @Test func aModelsValuesMayBeChanged() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("plants", model(1))
            var custom = try await ModelDownloader.modelDownloader().getModel(
                name: "plants",
                downloadType: .latestModel,
                conditions: ModelDownloadConditions()
            )
            (custom.size, custom.path, custom.hash) = (1, "/copy.tflite", "a")
            #expect(custom.size == 1 && custom.path == "/copy.tflite" && custom.hash == "a")
        }
    }

    @Test func theLocalModelIsGivenUntilTheLatestIsWanted() async throws {
        try await DefaultApp.withHub { hub in
            let id = try await hub.publish("plants", model(1))
            let downloader = ModelDownloader.modelDownloader()
            func get(_ type: ModelDownloadType) async throws -> CustomModel {
                try await downloader.getModel(name: "plants", downloadType: type, conditions: ModelDownloadConditions())
            }
            let first = try await get(.localModel)
            try await hub.replace(id, with: model(2))
            #expect(try await get(.localModel) == first)
            let second = try await get(.latestModel)
            #expect(second.hash != first.hash)
            #expect(try Data(contentsOf: URL(filePath: first.path)) == model(1))
            try await hub.replace(id, with: model(3))
            #expect(try await get(.localModelUpdateInBackground) == second)
            try await wait(while: { try await get(.localModel) == second })
            #expect(try Data(contentsOf: URL(filePath: try await get(.localModel).path)) == model(3))
        }
    }

    @Test func appsHaveModelsOfTheirOwn() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", model(1))
            let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
            options.values.hub = DefaultApp.options(of: hub, folder: folder)
            FirebaseApp.configure(name: "downloader-tests", options: options)
            let app = try #require(FirebaseApp.app(name: "downloader-tests"))
            let model = try await ModelDownloader.modelDownloader(app: app).getModel(
                name: "plants",
                downloadType: .latestModel,
                conditions: ModelDownloadConditions()
            )
            #expect(model.path.hasPrefix(folder.path))
            #expect(try await ModelDownloader.modelDownloader(app: app).listDownloadedModels() == [model])
            await app.delete()
        }
    }
}

/// A file that looks like a model, each number another one.
func model(_ number: UInt8, byteCount: Int = 64) -> Data {
    Data([0x1c, 0, 0, 0]) + Data("TFL3".utf8) + Data(repeating: number, count: byteCount)
}

/// The events, in order.
final class Events: Sendable {
    private let events = Mutex<[String]>([])
    var all: [String] { events.withLock(\.self) }
    func add(_ event: String) { events.withLock { $0.append(event) } }
}
