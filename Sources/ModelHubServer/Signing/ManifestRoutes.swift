import DurableFiles
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore

/// `:manifest` of a model, beside its `:download`; and `/hub/v1/projects/{project}/models/{model}/manifests`, where manifests are
/// prepared, signed and added.
struct ManifestRoutes {
    let hub: Hub
    let downloads: DownloadRoutes

    func add(to routes: inout RouteTable) {
        let path = "v1beta2/projects/{project}/models/{model}:manifest"
        let kind = RouteKind(isQuick: true, area: "manifest", isOpenToOtherSites: true)
        routes.on(.get, .head, at: path, for: .app(.viewer), kind: kind, use: manifest) {
            APIOperation(.apps, "getManifest", "Get the signed manifest of a model's file")
                .explained(
                    "One field a line: project, name, alias, version, size, SHA-256, labels, threshold, number, times and key, and a last line with the Ed25519 signature of the lines before it. Verify the bytes as they arrive, then compare the fields with what you asked for."
                )
                .parameters(
                    .path("model", "The display name of the model."),
                    .query("alias", "The alias of the download. `production` by default."),
                    .query("hash", "The SHA-256 of the downloaded version. Another version is then not found."),
                    .header("If-None-Match", "The ETag of the manifest that the app has.")
                )
                .answers("The manifest.", ["text/plain": .text()], headers: Self.etag)
                .answers("The manifest has the ETag in `If-None-Match`.", status: 304, headers: Self.etag)
                .answers("The version is not signed, or is no longer the version of the alias.", .error, status: 404)
                .head("checkManifest", "See whether a manifest changed")
        }
        routes.refuseOtherMethods(at: path)
        let manifests = "hub/v1/projects/{project}/models/{model}/manifests"
        routes.on(.get, at: manifests, for: .viewer, use: list) {
            APIOperation(.versions, "listManifests", "List the manifests of a model's aliases")
                .answers("The manifests.", .manifestList)
        }
        routes.on(.post, at: manifests, for: .publisher, use: add) {
            APIOperation(.versions, "addManifest", "Add a manifest that was signed outside of the hub")
                .explained(
                    "Its key is a signing key of the project, and its number is higher than that of all manifests of the alias."
                )
                .takes(.manifestText)
                .answers("The manifests.", .manifestList)
        }
        routes.on(.post, at: "\(manifests):prepare", for: .publisher, use: prepare) {
            APIOperation(.versions, "prepareManifest", "Get a manifest to sign outside of the hub")
                .explained(
                    "Correct fields such as the times, and compare the SHA-256 with that of your file."
                )
                .takes(.manifestPlan)
                .answers("The manifest without a signature.", .manifestText)
        }
        routes.on(.post, at: "\(manifests):sign", for: .publisher, use: sign) {
            APIOperation(.versions, "signManifest", "Sign a version with a key that the hub keeps")
                .takes(.manifestPlan)
                .answers("The signed manifest.", .manifestText)
        }
    }

    private static let etag = APIParameter.header("ETag", "Send it in `If-None-Match` the next time.")

    @Sendable
    private func manifest(_ request: APIRequest) async throws -> Response {
        let alias = request.query["alias"].map { ModelAlias(rawValue: $0) } ?? .production
        guard let model = try await downloads.model(for: request, alias).model else {
            throw alias == .production ? HubError.entityNotFound : alias.notFound(of: request["model"])
        }
        if let hash = request.query["hash"], hash != model.hash.text {
            throw HubError(
                .notFound,
                "The alias \(alias.rawValue.prefix(64)) no longer names this version; ask for the download again."
            )
        }
        guard let content = try await hub.records.manifest(of: model.id, alias, model.hash) else {
            throw HubError(
                .notFound,
                "The version of \(model.displayName) for the alias \(alias.rawValue.prefix(64)) is not signed; sign it with `sightline hub sign`."
            )
        }
        let tag = String(SHA256.hexadecimalDigest(of: content).prefix(32))
        // With the hash in the address, only a renewal changes the answer.
        var headers: HTTPFields = [.eTag: EntityTag.quoted(tag), .cacheControl: "private, max-age=300"]
        if request.matches(tag) { return .empty(.notModified, headers: headers) }
        headers[.contentType] = SignedManifest.contentType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await list(of: try await model(request, caller))
    }

    private func list(of model: ModelRecord) async throws -> Response {
        let statuses = try await hub.manifestStatuses(of: model)
        return try .json(ManifestList(manifests: statuses.map { ManifestResource($0) }))
    }

    @Sendable
    private func add(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request, caller)
        let text = try await request.json(ManifestText.self, upTo: Self.bodyLimit).manifest
        try await hub.addManifest(text, to: model, by: caller)
        return try await list(of: model)
    }

    @Sendable
    private func prepare(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request, caller)
        let plan = try await request.json(ManifestPlan.self, upTo: Self.bodyLimit)
        return try .json(ManifestText(manifest: try await hub.preparedManifest(plan, of: model, by: caller).text))
    }

    @Sendable
    private func sign(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request, caller)
        let plan = try await request.json(ManifestPlan.self, upTo: Self.bodyLimit)
        let signed = try await hub.sign(plan, of: model, by: caller)
        return try .json(ManifestText(manifest: String(decoding: signed.data, as: UTF8.self)))
    }

    /// The largest body in bytes: a manifest in JSON.
    private static let bodyLimit = 4 * SignedManifest.maximumByteCount

    private func model(_ request: APIRequest, _ caller: Caller) async throws -> ModelRecord {
        try await ModelDetailRoutes(hub: hub).model(request["model"], of: caller)
    }
}
