import Foundation
import HubTestSupport
import ModelHub
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct DownloadedModelsTests {
    private static let plants = RemoteModel(name: "plants")

    /// A manager that has the model "plants", and its server.
    private func withModel(_ body: (ModelManager, DownloadedModel, URL) async throws -> Void) async throws {
        let hub = LyingHub(fakeModel())
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                try await body(manager, try await manager.download(Self.plants), folder)
            }
        }
    }

    @Test func theFolderOfAHubIsNotAmongTheInstalledModels() async throws {
        let configuration = ModelHubConfiguration(
            hub: try #require(URL(string: "http://localhost:8080")),
            projectID: "my-plants",
            apiKey: "key"
        )
        let parts = ModelManager(configuration: configuration).folder.pathComponents.suffix(4)
        #expect(Array(parts) == ["sightline", "hubs", "localhost-8080", "_my-plants"])
    }

    @Test func aDeletedModelIsGone() async throws {
        try await withModel { manager, model, folder in
            try manager.deleteDownloadedModel(Self.plants)
            #expect(!manager.isModelDownloaded(Self.plants))
            #expect(contents(of: folder) == ["lock"])
            #expect(throws: DownloadError.notDownloaded(model: "plants", folder: folder.path)) {
                try manager.deleteDownloadedModel(Self.plants)
            }
        }
    }

    @Test func aModelWhoseFileIsGoneOrCutIsNotThereAndComesAgain() async throws {
        try await withModel { manager, model, _ in
            for damage in [fakeModel().dropLast(), nil] {
                if let damage {
                    try damage.write(to: model.url)
                } else {
                    try FileManager.default.removeItem(at: model.url)
                }
                #expect(!manager.isModelDownloaded(Self.plants))
                #expect(try manager.listDownloadedModels().isEmpty)
                #expect(try await manager.download(Self.plants, type: .localModel) == model)
                #expect(try Data(contentsOf: model.url) == fakeModel())
            }
        }
    }

    @Test(arguments: [
        "", "{", #"{"name":"plants","hash":"../../secret","size":1}"#, #"{"name":"other","hash":"","size":0}"#,
    ])
    func aDamagedNoteOfAModelIsAsNone(_ note: String) async throws {
        try await withModel { manager, model, folder in
            try Data(note.utf8).write(to: folder.appending(path: "models/plants.json"))
            #expect(!manager.isModelDownloaded(Self.plants))
            #expect(try await manager.download(Self.plants) == model)
        }
    }

    @Test func whatElseLiesInTheFolderIsPassedOver() async throws {
        try await withModel { manager, model, folder in
            for name in ["models/notes.txt", "models/.x.new", "models/Größe.json", "files/readme"] {
                try Data("{}".utf8).write(to: folder.appending(path: name))
            }
            #expect(try manager.listDownloadedModels() == [model])
        }
    }

    @Test func detectorsAndLabelersGetTheRemoteModelIfItIsThere() async throws {
        try await withModel { manager, model, _ in
            let local = LocalModel(url: URL(filePath: "bundled.tflite"))
            #expect(manager.localModel(for: Self.plants, otherwise: local) == LocalModel(url: model.url))
            #expect(manager.localModel(for: RemoteModel(name: "birds"), otherwise: local) == local)
        }
    }

    @Test(arguments: ["../x", "a/b", "a b", "ä", "x?y", ".", String(repeating: "x", count: 61)])
    func namesThatNoModelHasAreRefusedBeforeAnythingIsAsked(_ name: String) async throws {
        try await withModel { manager, _, folder in
            let before = contents(of: folder)
            let error = try await failure { try await manager.download(RemoteModel(name: name)) }
            guard case .invalidArgument(name, _) = error else { throw error }
            #expect(!manager.isModelDownloaded(RemoteModel(name: name)))
            #expect(contents(of: folder) == before)
        }
    }

    @Test func anEmptyNameIsSaidAsThat() async throws {
        try await withModel { manager, _, _ in
            let error = try await failure { try await manager.download(RemoteModel(name: "")) }
            #expect(error == .emptyModelName)
            #expect(throws: DownloadError.emptyModelName) { try manager.deleteDownloadedModel(RemoteModel(name: "")) }
        }
    }
}
