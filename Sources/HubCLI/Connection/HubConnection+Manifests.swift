import Foundation
import ModelHubProtocol

/// Manifests of models.
extension HubConnection {
    /// The manifest that a key would sign.
    func preparedManifest(_ plan: ManifestPlan, of name: String) async throws -> String {
        let target = extensions("models", name, "manifests", verb: ":prepare")
        return try await resource(ManifestText.self, .post, target, json: plan).manifest
    }

    /// Lets the hub sign with a key that it keeps.
    func signManifest(_ plan: ManifestPlan, of name: String) async throws -> ModelManifest {
        let target = extensions("models", name, "manifests", verb: ":sign")
        let text = try await resource(ManifestText.self, .post, target, json: plan).manifest
        return try Self.signed(text).manifest
    }

    /// Adds a signed manifest.
    func addManifest(_ text: String, to name: String) async throws {
        try await send(.post, extensions("models", name, "manifests"), json: ManifestText(manifest: text))
    }

    /// The manifests of a model's aliases.
    func manifests(of name: String) async throws -> [ManifestResource] {
        try await resource(ManifestList.self, .get, extensions("models", name, "manifests")).manifests
    }

    /// Takes a signed manifest apart.
    static func signed(_ text: String) throws(CommandError) -> (signed: SignedManifest, manifest: ModelManifest) {
        do throws(ManifestFormatError) {
            let signed = try SignedManifest(Data(text.utf8))
            return (signed, try signed.manifest())
        } catch {
            throw CommandError("The signed manifest cannot be read: \(error); sign it again with `sightline hub sign`.")
        }
    }
}
