import DurableFiles
import Foundation
import ModelHubProtocol

/// The requests of an app to a hub. The app registers its installation if the project requires it.
struct HubClient: Sendable {
    let configuration: ModelHubConfiguration
    let installation: Installation
    let transport: HubTransport

    static let jsonFields: HeaderFields = ["content-type": "application/json"]
    /// The maximum size of a response in bytes, apart from those with configurations.
    static let maximumReply = 64 << 10
    private static let maximumConfiguration = 4 << 20

    init(configuration: ModelHubConfiguration, installation: Installation) {
        self.configuration = configuration
        self.installation = installation
        transport = HubTransport(
            hub: configuration.hub,
            credentials: .app(key: configuration.apiKey, bundleID: configuration.bundleID),
            trusting: configuration.trustedRoots,
            idleTimeout: configuration.idleTimeout
        )
    }

    /// The project as part of a path.
    var project: String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_.:"))
        return configuration.projectID.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// The project and the hub, for sentences about missing things.
    var place: String { "the project \"\(configuration.projectID)\" of \(transport.base)" }

    // MARK: - Model information

    /// A hub's response to a request for a model.
    enum Answer {
        /// The version differs from the known version.
        case changed(ModelInfo)
        /// The known version is still the wanted version; its threshold may have changed.
        case unchanged(
            DownloadedModel,
            confidenceThreshold: Float?,
            assignment: ExperimentAssignment? = nil,
            manifest: Data? = nil
        )
    }

    /// Requests the version that an alias of a model names.
    func info(of model: RemoteModel, known: DownloadedModel?) async throws(HubFailure) -> Answer {
        var headers: HeaderFields = [:]
        if let known { headers.add(name: "if-none-match", value: known.hash) }
        if !configuration.trustedKeys.isEmpty { headers.add(name: HubHeader.manifest, value: "1") }
        // Without the field, the request is that of Firebase's clients, which get TensorFlow Lite alone.
        if configuration.readsONNX {
            headers.add(name: HubHeader.formats, value: HostedFormat.list(HostedFormat.allCases))
        }
        // Servers that know no aliases get the request that Firebase's clients send.
        let query = model.alias == .production ? "" : "?alias=\(model.alias)"
        let path = "/v1beta2/projects/\(project)/models/\(model.name):download\(query)"
        var reply = try await send(.get, path, headers, as: configuration.appID, upTo: Self.maximumReply)
        if RolloutPart(reply.headers)?.group == .unidentified {
            // A rollout needs to know the installation. Without that, the version for all others is also right.
            do throws(HubFailure) {
                try await register(app: configuration.appID ?? "")
                reply = try await send(.get, path, headers, as: configuration.appID, upTo: Self.maximumReply)
            } catch {
                if error == .cancelled { throw error }
            }
        }
        let etag = reply.headers.first(name: "etag").map { EntityTag($0) }
        let threshold = Self.confidenceThreshold(reply.headers)
        let rollout = RolloutPart(reply.headers)
        let manifest = reply.headers.first(name: HubHeader.manifest).flatMap { Base64URL.data($0) }
        switch reply.status {
        case 200:
            var info = try ModelInfo(reply.body, etag: etag, confidenceThreshold: threshold)
            (info.rollout, info.manifest) = (rollout, manifest)
            return .changed(info)
        case 304:
            guard let known else {
                throw .invalidReply(reason: "the hub answered 304 although no model is cached")
            }
            guard etag?.sha256 == known.hash else {
                throw .invalidReply(reason: "the hub answered 304 with the ETag of another version")
            }
            return .unchanged(
                known,
                confidenceThreshold: threshold,
                assignment: rollout?.assignment,
                manifest: manifest
            )
        default: throw reply.failure
        }
    }

    /// The threshold in the response headers, which the ETag does not cover; nil if the header is missing or invalid.
    private static func confidenceThreshold(_ headers: HeaderFields) -> Float? {
        headers.first(name: HubHeader.confidenceThreshold).flatMap { Float($0) }.flatMap {
            (0...1).contains($0) ? $0 : nil
        }
    }

    // MARK: - Configurations and outcomes

    /// Posts JSON with the credentials of the app and of this installation, and returns a response with status 200.
    ///
    /// - Parameter registers: Whether to register the installation even if the hub does not require it.
    func post(
        _ path: String,
        _ json: Data,
        etag: String? = nil,
        registers: Bool = false
    ) async throws(HubFailure) -> HubTransport.Reply {
        var headers = Self.jsonFields
        if let etag { headers.add(name: "if-none-match", value: etag) }
        let app = configuration.appID ?? ""
        if registers, installation.token == nil { try await register(app: app) }
        let reply = try await send(.post, path, headers, json, as: app, upTo: Self.maximumConfiguration)
        guard reply.status == 200 else { throw reply.failure }
        return reply
    }

    // MARK: - Sending

    /// Sends a request with the installation's token. If the hub requires a registered installation and does not know
    /// this one, or no longer, the app registers and the request is sent again; not without an app id.
    func send(
        _ method: HubMethod,
        _ path: String,
        _ headers: HeaderFields,
        _ body: Data? = nil,
        as app: String?,
        upTo limit: Int
    ) async throws(HubFailure) -> HubTransport.Reply {
        var headers = headers
        if let token = installation.token { headers.add(name: HubHeader.installation, value: token) }
        let reply = try await transport.send(method, path, headers: headers, body: body, upTo: limit)
        guard reply.status == 401, let app else { return reply }
        let token = try await register(app: app)
        headers.replaceOrAdd(name: HubHeader.installation, value: token)
        return try await transport.send(method, path, headers: headers, body: body, upTo: limit)
    }

    /// Registers the app as Firebase's SDKs do, stores the token, and returns it.
    @discardableResult
    func register(app: String) async throws(HubFailure) -> String {
        let id = try await installation.idText()
        let reply = try await transport.send(
            .post,
            "/v1/projects/\(project)/installations/",
            headers: Self.jsonFields,
            body: try? JSONEncoder().encode(InstallationRequest(fid: id, appId: app)),
            upTo: Self.maximumReply
        )
        guard (200..<300).contains(reply.status) else { throw reply.failure }
        guard let registered = try? JSONDecoder().decode(InstallationResource.self, from: reply.body) else {
            throw .invalidReply(reason: "the hub did not register the app")
        }
        installation.token = registered.authToken.token
        return registered.authToken.token
    }
}
