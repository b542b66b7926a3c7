import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// How apps fetch their configuration: `POST /v1/projects/{project}/namespaces/firebase:fetch`.
extension HubAPI {
    /// How many bytes the body of a fetch may have.
    static let fetchLimit = 256 << 10

    /// Whether a path is one that apps post to without changing anything that an operator keeps an eye on.
    /// An object of the storage may have any name, so that the end of the path is not enough.
    static func isAskedByApps(path: String) -> Bool {
        path.hasPrefix("/v1/projects/") && path.hasSuffix(":fetch")
            || path.hasPrefix("/hub/v1/projects/") && path.hasSuffix("/outcomes")
    }

    func fetchConfig(_ request: APIRequest, project name: String, namespace: String) async throws -> Response {
        guard request.method == .post else { throw HubError.methodNotAllowed }
        guard namespace == ConfigNamespace.client.rawValue else { throw HubError.entityNotFound }
        let body = try await request.smallBody(upTo: Self.fetchLimit)
        let client = try ClientContext(Array(body.readableBytesView))
        let (project, etag) = try await configuration(request, project: name, bodyToken: client.installationToken)
        guard let etag else {
            let headers = HTTPFields.unquoted(etag: "\(project.firstTemplateEtag)-fetch")
            return .json(text: #"{"state":"NO_TEMPLATE"}"#, headers: headers)
        }
        let config = try await configs.config(of: project, etag: etag) { try await hub.compiledConfig(of: project) }
        let reply = config.reply(to: client, now: hub.now())
        var headers = HTTPFields.unquoted(etag: reply.etag)
        headers[.cacheControl] = "no-store"
        // A star says "I have nothing" here: the JavaScript SDK sends it first.
        if let known = request.headers[.ifNoneMatch], APIRequest.bare(etag: known) == reply.etag {
            // 200 and not 304, which the iOS SDK takes for a failure.
            return .json(
                text: #"{"state":"NO_CHANGE","templateVersion":"\#(config.version)"}"#,
                headers: headers
            )
        }
        var response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: reply.body))
        response.headers[.contentType] = "application/json; charset=UTF-8"
        return response
    }

    /// The project whose app asks, and the etag of its template; the same must be shown as for a download.
    func configuration(
        _ request: APIRequest,
        project name: String,
        bodyToken: String?
    ) async throws -> (project: Project, etag: String?) {
        if request.local != nil || request.bearerToken != nil {
            let project = try await caller(request, project: name, atLeast: .read).project
            return (project, try await hub.metadata.template(nil, in: .client, of: project.id)?.etag)
        }
        guard let key = request.query["key"] ?? request.headers[.googAPIKey], key.utf8.count <= 128,
            let (project, etag) = try await hub.metadata.configuration(apiKeyHash: Credential.hash(ofSecret: key)),
            name == project.id || name == "\(project.number)"
        else { throw HubError.apiKey }
        if project.requiresInstallation {
            try hub.requireInstallation(request.headers[.installationToken] ?? bodyToken, of: project)
        }
        return (project, etag)
    }
}

extension Hub {
    /// The installation that a token is of.
    ///
    /// - Throws: `.unauthenticated` unless it is valid now and of the project.
    @discardableResult
    func requireInstallation(_ token: String?, of project: Project) throws(HubError) -> Installation {
        guard let token, let installation = installation(token: token), installation.project == project.id else {
            throw HubError(
                .unauthenticated,
                "This project needs an installation token of this hub; register the installation anew."
            )
        }
        return installation
    }

    /// The newest client template of a project, made ready.
    func compiledConfig(of project: Project) async throws -> (etag: String, config: CompiledConfig) {
        let stored = try await metadata.template(nil, in: .client, of: project.id)
        let experiments = try await metadata.experiments(of: project.id)
        let template = try stored.map { try ConfigTemplate(json: $0.json) } ?? ConfigTemplate()
        let config = CompiledConfig(
            template,
            version: stored?.version.number ?? 0,
            experiments: experiments,
            projectNumber: project.number
        )
        return (stored?.etag ?? project.firstTemplateEtag, config)
    }
}
