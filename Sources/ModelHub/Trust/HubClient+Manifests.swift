import Foundation
import ModelHubProtocol

extension HubClient {
    /// Requests the manifest of the version that an alias of a model names. At most 64 KiB are read.
    ///
    /// - Parameter hash: The SHA-256 of the version, so that a cache never confuses versions.
    /// - Throws: `HubFailure.untrusted` with ``ManifestProblem/unsigned`` if the hub has none.
    func manifest(of model: RemoteModel, hash: String) async throws(HubFailure) -> Data {
        let alias = model.alias == .production ? "" : "&alias=\(model.alias)"
        let path = "/v1beta2/projects/\(project)/models/\(model.name):manifest?hash=\(hash)\(alias)"
        let reply = try await send(.get, path, [:], as: configuration.appID, upTo: Self.maximumReply)
        switch reply.status {
        case 200: return reply.body
        case 404: throw .untrusted(.unsigned)
        default: throw reply.failure
        }
    }
}
