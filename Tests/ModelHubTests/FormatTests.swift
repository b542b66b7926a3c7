import Foundation
import HubTestSupport
import ModelHub
import SightlineTestSupport
import Testing

/// Models in ONNX, for clients that read them and for those that do not.
@Suite(.hangLimit)
struct FormatTests {
    private static let plants = RemoteModel(name: "plants")
    private static let onnx = OnnxBuilder.constant([("scores", [0.1, 0.7, 0.2], [1, 3])]).data

    @Test func theContentsDecideAboutTheEndingOfAFile() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", Self.onnx)
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let model = try await manager.download(Self.plants)
            #expect(model.url.lastPathComponent == "\(sha256(Self.onnx)).onnx")
            #expect(try Data(contentsOf: model.url) == Self.onnx)
            #expect(manager.downloadedModel(for: Self.plants) == model)
            // The same file under another name is not downloaded again.
            try await hub.publish("trees", Self.onnx)
            #expect(try await manager.download(RemoteModel(name: "trees")).url == model.url)
            try await hub.replace(id, with: fakeModel(1))
            #expect(try await manager.download(Self.plants).url.pathExtension == "tflite")
            try manager.deleteDownloadedModel(RemoteModel(name: "trees"))
            #expect(!FileManager.default.fileExists(atPath: model.url.path))
        }
    }

    @Test func anAppThatReadsTensorFlowLiteAloneKeepsItsVersion() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", fakeModel(1))
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key) { $0.readsONNX = false }
            let first = try await manager.download(Self.plants)
            try await hub.replace(id, with: Self.onnx)
            let error = await #expect(throws: DownloadError.self) { try await manager.download(Self.plants) }
            guard case .notFound? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(manager.downloadedModel(for: Self.plants) == first)
        }
    }
}
