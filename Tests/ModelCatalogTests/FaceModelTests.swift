import Foundation
import ModelCatalog
import ModelHubProtocol
import SightlineTestSupport
import Testing

/// The detector of faces, which is installed on first use.
@Suite(.hangLimit) struct FaceModelTests: InstallationTesting {
    let sample: SampleModel

    init() throws { sample = try SampleModel() }

    private func catalog(_ server: LoopbackServer, hash: String? = nil) throws -> ModelCatalog {
        var entry = try ModelCatalog.bundled().entry(named: ModelCatalog.faceDetector)
        entry.address = server.address + "/faces.tflite"
        entry.sha256 = hash ?? self.hash
        entry.byteCount = model.count
        return try ModelCatalog(json: JSONEncoder().encode([entry]))
    }

    @Test func theModelIsInstalledOnFirstUseAndThenThere() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            let catalog = try catalog(server)
            var announced: [String] = []
            for _ in 0..<2 {
                let found = try store.faceDetector(of: catalog) { announced.append($0.name) }
                #expect(try Data(contentsOf: found.url) == model)
            }
            #expect(server.requests.count == 1 && announced == [ModelCatalog.faceDetector])
            // A file that is not the catalog's any more is replaced.
            try Data("other".utf8).write(to: store.model(named: ModelCatalog.faceDetector).model)
            let again = try store.faceDetector(of: catalog)
            #expect(try Data(contentsOf: again.url) == model)
        }
    }

    @Test func aFileWithAnotherHashIsNotInstalled() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            let other = String(repeating: "0", count: 64)
            let error = #expect(throws: ModelCatalogError.self) {
                try store.faceDetector(of: catalog(server, hash: other))
            }
            guard case .wrongHash = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(store[ModelCatalog.faceDetector] == nil)
        }
    }
}
