import DurableFiles
import Foundation
import ModelCatalog
import ModelHubProtocol
import SightlineTestSupport
import Testing

/// A model that tests install, and its SHA-256.
struct SampleModel {
    let data: Data
    let hash: String

    init() throws {
        data = try Data(contentsOf: TestData.fixture("models/ssd_metadata.tflite"))
        hash = SHA256.hexadecimalDigest(of: data)
    }
}

/// Tests that install the sample model under the name "boxes".
protocol InstallationTesting {
    var sample: SampleModel { get }
}

extension InstallationTesting {
    typealias Response = LoopbackServer.Response

    var model: Data { sample.data }
    var hash: String { sample.hash }

    /// Runs a body with an empty store whose downloads are tried a number of times, without long pauses.
    func withStore(tries: Int = 1, _ body: (ModelStore) throws -> Void) throws {
        let retry = RetryPolicy(tries: tries, base: .milliseconds(1))
        try withTemporaryFolder { try body(ModelStore(folder: $0.appending(path: "data/models"), retry: retry)) }
    }

    func installation(_ server: LoopbackServer, verified: Bool = true) -> Installation {
        var installation = Installation(
            name: "boxes",
            source: .file(server.address + "/m.tflite"),
            sha256: verified ? hash : nil
        )
        installation.acceptsUnverified = !verified
        return installation
    }

    /// The content of a store's folder, except its lock.
    func content(_ store: ModelStore) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store.folder.path)) ?? []
        return names.filter { $0 != ".lock" }.sorted()
    }

    func bytes(_ store: ModelStore) throws -> Data {
        try Data(contentsOf: try store.model(named: "boxes").model)
    }
}
