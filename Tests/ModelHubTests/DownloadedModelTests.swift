import Foundation
import HubTestSupport
import ModelHub
import Sightline
import SightlineTestSupport
import Testing

/// Labelers and detectors over models that a hub hosts.
@Suite(.hangLimit)
struct DownloadedModelTests {
    private static let name = RemoteModel(name: "plants")
    private static let size = PixelSize(width: 16, height: 16)

    private static func file(_ fixture: String) throws -> Data {
        try Data(contentsOf: TestData.fixture("models/\(fixture).tflite"))
    }

    /// Of one color. The classifiers hold this one for red with 69 % and for green with 31 %.
    private static func picture() throws -> VisionImage {
        let pixels = Data((0..<size.width * size.height).flatMap { _ in [140, 127, 0] as [UInt8] })
        let plane = PixelBuffer.Plane(data: pixels, bytesPerRow: size.width * 3)
        return VisionImage(
            pixels: try PixelBuffer(format: .rgb, width: size.width, height: size.height, planes: [plane])
        )
    }

    private static func labels(_ model: LocalModel, threshold: Float? = nil) async throws -> [String] {
        var options = ImageLabelerOptions(model: model)
        options.confidenceThreshold = threshold
        return try await ImageLabeler(options: options).labels(in: picture()).map(\.text)
    }

    private static func objectCount(_ model: LocalModel, threshold: Float? = nil) async throws -> Int {
        var options = ObjectDetectorOptions(model: model)
        options.scoreThreshold = threshold
        return try await ObjectDetector(options: options).objects(in: picture()).count
    }

    @Test func theRemoteModelIsUsedIfItIsDownloadedOtherwiseTheLocalOneAndAfterAnUpdateTheNewOne() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", try Self.file("classifier_float_metadata"))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let bundled = LocalModel(url: TestData.fixture("models/classifier_float.tflite"))
            #expect(manager.localModel(for: Self.name, otherwise: bundled) == bundled)
            // Without labels, and without a threshold.
            #expect(try await Self.labels(manager.localModel(for: Self.name, otherwise: bundled)) == ["", "", ""])

            try await manager.download(Self.name)
            let first = manager.localModel(for: Self.name, otherwise: bundled)
            #expect(try await Self.labels(first) == ["red"])

            try await hub.replace(id, with: try Self.file("classifier_background"))
            try await manager.download(Self.name)
            let second = manager.localModel(for: Self.name, otherwise: bundled)
            #expect(try await Self.labels(second).count == 3)
            // An app that still has the old one keeps it.
            #expect(try await Self.labels(first) == ["red"])

            try manager.deleteDownloadedModel(Self.name)
            #expect(manager.localModel(for: Self.name, otherwise: bundled) == bundled)
        }
    }

    @Test func aDetectorTakesADownloadedModelAndClassifier() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("finder", try Self.file("localizer"))
            try await hub.publish("namer", try Self.file("classifier_float_metadata"))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let finder = try await manager.download(RemoteModel(name: "finder"))
            let namer = try await manager.download(RemoteModel(name: "namer"))
            let options = ObjectDetectorOptions(model: finder.localModel, classifier: namer.localModel)
            let objects = try await ObjectDetector(options: options).objects(in: Self.picture())
            #expect(objects.map { $0.labels.map(\.text) } == [["red"], ["red"], ["red"]])
        }
    }

    @Test func theHubsThresholdComesAfterTheCallersAndBeforeTheMetadatas() async throws {
        try await ClientHub.with { hub, folder in
            // The metadata says 0.35.
            try await hub.publish("plants", try Self.file("classifier_float_metadata"))
            try await hub.setThreshold(0.25, of: "plants")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let model = try await manager.download(Self.name)
            #expect(model.confidenceThreshold == 0.25)
            #expect(try await Self.labels(model.localModel) == ["red", "green"])
            #expect(try await Self.labels(model.localModel, threshold: 0.5) == ["red"])
        }
    }

    @Test func aThresholdThatChangesReachesAppsThatHaveTheFile() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", try Self.file("ssd"))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let first = try await manager.download(Self.name)
            #expect(first.confidenceThreshold == nil)
            // Boxes of 0.9, 0.8 and 0.4; 0.5 is usual for models of this kind.
            #expect(try await Self.objectCount(first.localModel) == 2)
            for (threshold, count) in [(0.3, 3), (0.85, 1), (nil, 2)] as [(Double?, Int)] {
                try await hub.setThreshold(threshold, of: "plants")
                let progress = Log<DownloadProgress>()
                let model = try await manager.download(Self.name) { progress.add($0) }
                #expect(progress.all.isEmpty && model.url == first.url)
                #expect(model.confidenceThreshold == threshold.map { Float($0) })
                // Also for the next process.
                let other = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
                #expect(other.downloadedModel(for: Self.name) == model)
                #expect(try await Self.objectCount(model.localModel) == count)
            }
        }
    }

    @Test(arguments: ["2", "-0.1", "nan", "many", ""])
    func aThresholdThatCannotBeOneIsAsNone(_ text: String) async throws {
        let hub = LyingHub(fakeModel())
        try await ScriptedServer.with { request, server in
            var reply = hub.reply(to: request, of: server)
            reply.headers.append(("X-Sightline-Confidence-Threshold", text))
            return reply
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                #expect(try await manager.download(Self.name).confidenceThreshold == nil)
                #expect(try await manager.download(Self.name).confidenceThreshold == nil)
            }
        }
    }
}
