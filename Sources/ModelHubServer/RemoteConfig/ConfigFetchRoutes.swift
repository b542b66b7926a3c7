import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore

/// Fetches of apps: `POST /v1/projects/{project}/namespaces/firebase:fetch`.
struct ConfigFetchRoutes {
    let hub: Hub
    /// The maximum number of apps that wait for live updates.
    let maximumLiveUpdates: Int
    private let configs = ConfigCache()

    init(hub: Hub, maximumLiveUpdates: Int) {
        self.hub = hub
        self.maximumLiveUpdates = maximumLiveUpdates
    }

    func add(to routes: inout RouteTable) {
        let namespace = "v1/projects/{project}/namespaces/\(ConfigNamespace.client.rawValue)"
        let fetch = "\(namespace):fetch"
        var kind = RouteKind(isQuick: true, area: "config-fetch", isFromApps: true, isOpenToOtherSites: true)
        routes.on(.post, at: fetch, for: .app(.viewer), kind: kind, use: self.fetch) {
            APIOperation(.apps, "fetchConfig", "Fetch the values of Remote Config")
                .explained("A status of 200 with the state `NO_CHANGE` takes the place of 304.")
                .parameters(.header("If-None-Match", "The ETag of the values that the app has."))
                .takes(.configFetchInput)
                .answers("The values.", .configFetch, headers: .etag)
        }
        routes.refuseOtherMethods(at: fetch)
        let liveUpdates = namespace + Self.liveUpdatesVerb
        kind = RouteKind(isOpenToOtherSites: true)
        routes.on(.post, at: liveUpdates, for: .app(.viewer), kind: kind, use: self.liveUpdates) {
            APIOperation(.apps, "streamConfigUpdates", "Wait for changes of Remote Config")
                .explained(
                    "When a line with a greater number arrives, fetch the values. With status 503, try again after `Retry-After` seconds."
                )
                .takes(.liveUpdatesInput)
                .answers(
                    "A stream without an end. Each line is an object in JSON; an empty line every 30 seconds shows that the connection lives.",
                    .liveUpdate
                )
        }
        routes.refuseOtherMethods(at: liveUpdates)
    }

    /// The maximum size of a fetch's body in bytes.
    static let fetchLimit = 256 << 10

    /// The maximum size of a body that is parsed on the event loop. Apps send less, and parsing takes less than a
    /// millisecond.
    private static let quickLimit = 4 << 10

    @Sendable
    private func fetch(_ request: APIRequest) async throws -> Response {
        // The body is not read for a client without a key.
        let (project, etag) = try await configuration(of: ConfigReader(request))
        let client = try await client(request, of: project)
        guard let etag else {
            let headers = HTTPFields.unquoted(etag: "\(project.firstTemplateEtag)-fetch")
            return .json(text: #"{"state":"NO_TEMPLATE"}"#, headers: headers)
        }
        let config = try await configs.config(of: project, etag: etag) { try await hub.compiledConfig(of: project) }
        let reply = await reply(config, to: client, request)
        var headers = HTTPFields.unquoted(etag: reply.etag)
        headers[.cacheControl] = "no-store"
        // Here a star means that the client has no values: the JavaScript SDK sends it first.
        if let known = request.headers[.ifNoneMatch], EntityTag(known).text == reply.etag {
            // 200 and not 304, because the iOS SDK treats 304 as a failure.
            return .json(
                text: #"{"state":"NO_CHANGE","templateVersion":"\#(config.version)"}"#,
                headers: headers
            )
        }
        var response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: reply.body))
        response.headers[.contentType] = "application/json; charset=UTF-8"
        return response
    }

    /// The client according to the body, with a registered installation if the project requires one. Large bodies are
    /// parsed outside the event loop.
    func client(_ request: APIRequest, of project: Project) async throws -> ClientContext {
        let body = Array(try await request.smallBody(upTo: Self.fetchLimit).readableBytesView)
        let client =
            body.count <= Self.quickLimit
            ? try ClientContext(body) : try await BlockingExecutor.run { try ClientContext(body) }
        if project.requiresInstallation, request.local == nil, request.bearerToken == nil {
            try hub.requireInstallation(request.headers[.installationToken] ?? client.installationToken, of: project)
        }
        return client
    }

    /// The project of the app, and the etag of its template. The same credentials as for a download are required.
    func configuration(of reader: ConfigReader) async throws -> (project: Project, etag: String?) {
        let identity: Identity
        switch reader.proof {
        case .apiKey(let hash):
            guard let found = try await hub.records.configuration(apiKeyHash: hash),
                reader.project == found.project.id || reader.project == "\(found.project.number)"
            else { throw HubError.apiKey }
            try hub.accept(found.key)
            return (found.project, found.etag)
        case .token(let token): identity = try await hub.identity(bearerToken: token)
        case .local(let local): identity = local
        case nil: throw HubError.apiKey
        }
        let caller = try await hub.caller(identity, in: reader.project)
        try caller.require(.viewer)
        return (caller.project, try await hub.records.template(nil, in: .client, of: caller.project.id)?.etag)
    }
}

/// The reader of a project's configuration, as the request names it. It is small, because live updates keep it for hours.
struct ConfigReader: Sendable {
    enum Proof: Sendable {
        /// The hash of an app's key.
        case apiKey([UInt8])
        case token(String)
        /// A command on the hub's machine.
        case local(Identity)
    }

    let project: String
    let proof: Proof?

    init(_ request: APIRequest) {
        let name = request["project"]
        if let local = request.local {
            proof = .local(local)
        } else if let token = request.bearerToken {
            proof = .token(token)
        } else {
            proof = request.apiKey.flatMap { $0.utf8.count <= 128 ? .apiKey(Credential.hash(ofSecret: $0)) : nil }
        }
        // Only a token is valid in several projects.
        if name == "-", case .token = proof { project = request.ownProject ?? name } else { project = name }
    }
}

extension Hub {
    /// The installation of a token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now and belongs to the project.
    @discardableResult
    func requireInstallation(_ token: String?, of project: Project) throws(HubError) -> Installation {
        guard let token, let installation = installation(token: token), installation.project == project.id else {
            throw HubError(
                .unauthenticated,
                "This project needs an installation token of this hub; register the installation again."
            )
        }
        return installation
    }

    /// The prepared newest client template of a project.
    func compiledConfig(of project: Project) async throws -> (etag: String, config: CompiledConfig) {
        let stored = try await records.template(nil, in: .client, of: project.id)
        let experiments = try await records.runningExperiments(of: project.id)
        let template = try stored.map { try templates.template($0, in: .client, of: project.id) } ?? ConfigTemplate()
        let config = CompiledConfig(
            template,
            version: stored?.version.number ?? 0,
            experiments: experiments,
            projectNumber: project.number
        )
        return (stored?.etag ?? project.firstTemplateEtag, config)
    }
}
