import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Remote Config's management API: `/v1/projects/{project}/remoteConfig`, and the same below `namespaces/{namespace}`.
extension HubAPI {
    /// The target of a Remote Config path.
    enum ConfigRoute {
        case fetch(project: String, namespace: String)
        case liveUpdates(project: String, namespace: String)
        case template(project: String, ConfigNamespace, verb: String?)
        case serverTemplate(project: String)

        /// Nil for other paths.
        init?(_ request: APIRequest) {
            let custom = request.customMethod
            let path = custom?.path ?? request.path
            guard path.count >= 4, path[0] == "v1", path[1] == "projects" else { return nil }
            switch (path.count, path[3]) {
            case (4, "remoteConfig"): self = .template(project: path[2], .client, verb: custom?.verb)
            case (5, "namespaces") where custom?.verb == "fetch":
                self = .fetch(project: path[2], namespace: path[4])
            case (5, "namespaces") where custom?.verb == "streamFetchInvalidations":
                self = .liveUpdates(project: path[2], namespace: path[4])
            case (6, "namespaces") where path[4] == "firebase-server" && path[5] == "serverRemoteConfig":
                guard custom == nil else { return nil }
                self = .serverTemplate(project: path[2])
            case (6, "namespaces") where path[5] == "remoteConfig":
                guard let namespace = ConfigNamespace(rawValue: path[4]) else { return nil }
                self = .template(project: path[2], namespace, verb: custom?.verb)
            default: return nil
            }
        }
    }

    func config(_ request: APIRequest, _ route: ConfigRoute) async throws -> Response {
        switch (route, request.method) {
        case (.fetch(let project, let namespace), _):
            return try await fetchConfig(request, project: project, namespace: namespace)
        case (.liveUpdates(let project, let namespace), _):
            return try await refuseLiveUpdates(request, project: project, namespace: namespace)
        case (.serverTemplate(let project), .get):
            let caller = try await caller(request, project: project, atLeast: .read)
            let published = try await hub.configTemplate(in: .server, by: caller)
            return try .json(try ServerTemplate(published), headers: .unquoted(etag: published.etag))
        case (.template(let project, let namespace, nil), .get):
            let caller = try await caller(request, project: project, atLeast: .read)
            let version = try Self.versionNumber(request.query["versionNumber"] ?? request.query["version_number"])
            return try Self.response(try await hub.storedTemplate(version, in: namespace, by: caller))
        case (.template(let project, let namespace, nil), .put):
            return try await putConfig(request, project: project, namespace)
        case (.template(let project, let namespace, "rollback"), .post):
            let caller = try await caller(request, project: project, atLeast: .publish)
            let node = try await request.node(limit: APIRequest.smallBodyLimit)
            guard let number = try Self.versionNumber(node["versionNumber"]?.stringOrNumber) else {
                throw HubError(.invalidArgument, "The body has no versionNumber to roll back to.")
            }
            let published = try await hub.rollBackConfig(
                to: number,
                in: namespace,
                origin: request.updateOrigin,
                by: caller
            )
            return try Self.response(published.stored)
        case (.template(let project, let namespace, "listVersions"), .get):
            let caller = try await caller(request, project: project, atLeast: .read)
            return try await configVersions(request, namespace, caller)
        case (.template(_, _, nil), _), (.template(_, _, "rollback"), _), (.template(_, _, "listVersions"), _),
            (.serverTemplate, _):
            throw HubError.methodNotAllowed
        default: throw HubError.entityNotFound
        }
    }

    private static func response(_ stored: StoredTemplate) throws -> Response {
        .json(text: try TemplateResource(stored).json, headers: .unquoted(etag: stored.etag))
    }

    private func putConfig(
        _ request: APIRequest,
        project: String,
        _ namespace: ConfigNamespace
    ) async throws -> Response {
        let caller = try await caller(request, project: project, atLeast: .publish)
        let isChecked = ["validate_only", "validateOnly"].contains { request.query[$0]?.lowercased() == "true" }
        guard let header = request.headers[.ifMatch]?.trimmingCharacters(in: .whitespaces), !header.isEmpty else {
            let current = try await hub.storedTemplate(in: namespace, by: caller).etag
            throw HubError(
                .failedPrecondition,
                "Publishing a template requires If-Match with the etag of the replaced version, which is currently \(current), or with *.",
                httpStatus: 412
            )
        }
        let text = String(buffer: try await request.smallBody(upTo: ConfigTemplate.Limits.textLength))
        let published = try await hub.publishConfig(
            text,
            in: namespace,
            replacing: APIRequest.bare(etag: header),
            origin: request.updateOrigin,
            onlyCheck: isChecked,
            by: caller
        )
        return try Self.response(published.stored)
    }

    private struct VersionPage: Encodable {
        var versions: [VersionResource]?
        var nextPageToken: String?
    }

    private struct VersionPageToken: Codable {
        var before: Int64
        var project: String
    }

    private func configVersions(
        _ request: APIRequest,
        _ namespace: ConfigNamespace,
        _ caller: Caller
    ) async throws -> Response {
        func parameter(_ name: String, _ other: String) -> String? {
            (request.query[name] ?? request.query[other]).flatMap { $0.isEmpty ? nil : $0 }
        }
        let size = min(max(parameter("pageSize", "page_size").flatMap { Int($0) } ?? 0, 0), 300)
        var before: Int64?
        if let last = try Self.versionNumber(parameter("endVersionNumber", "end_version_number")) { before = last + 1 }
        if let token = parameter("pageToken", "page_token") {
            guard let content = hub.signer.value(of: token, for: "versions", as: VersionPageToken.self),
                content.project == caller.project.id
            else { throw HubError.invalidArgument }
            before = min(before ?? .max, content.before)
        }
        let start = try Self.time(parameter("startTime", "start_time"))
        let end = try Self.time(parameter("endTime", "end_time"))
        // There are few stored versions.
        let all = try await hub.configVersions(
            in: namespace,
            before: before,
            limit: Int(TemplateVersion.limit),
            by: caller
        ).filter { version in
            start.map { version.updateTime >= $0 } ?? true && end.map { version.updateTime < $0 } ?? true
        }
        let page = all.prefix(size == 0 ? 300 : size)
        var body = VersionPage(versions: page.isEmpty ? nil : page.map(VersionResource.init))
        if page.count < all.count, let last = page.last {
            let token = VersionPageToken(before: last.number, project: caller.project.id)
            body.nextPageToken = try hub.signer.token(token, for: "versions")
        }
        return try .json(body)
    }

    private static func versionNumber(_ text: String?) throws(HubError) -> Int64? {
        guard let text, !text.isEmpty else { return nil }
        guard let number = Int64(text), (0..<Int64.max).contains(number) else {
            throw HubError(.invalidArgument, "\"\(text.prefix(40))\" is not the number of a version.")
        }
        return number
    }

    private static func time(_ text: String?) throws(HubError) -> Timestamp? {
        guard let text else { return nil }
        let date =
            (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
        guard let seconds = date?.timeIntervalSince1970, abs(seconds) < 1e12 else {
            throw HubError(.invalidArgument, "\"\(text.prefix(40))\" is not a time such as 2027-01-01T00:00:00Z.")
        }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }
}

extension APIRequest {
    /// The tool that made a change, according to the client.
    fileprivate var updateOrigin: String {
        let client = headers[.firebaseClient] ?? ""
        return client.hasPrefix("fire-admin-node/") ? "ADMIN_SDK_NODE" : "REST_API"
    }

    /// An etag without quotes and without the weak prefix.
    static func bare(etag: String) -> String {
        var text = etag.trimmingCharacters(in: .whitespaces)[...]
        if text.hasPrefix("W/") { text = text.dropFirst(2) }
        if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        return String(text)
    }

    /// The body as JSON with positions.
    func node(limit: Int) async throws -> JSONNode {
        let buffer = try await smallBody(upTo: limit)
        let bytes = Array(buffer.readableBytesView)
        do throws(JSONFailure) {
            return try JSONNode.parse(bytes)
        } catch {
            throw HubError(
                .invalidArgument,
                "The body is not JSON at \(TextPlace(bytes, offset: error.offset)): \(error.reason)."
            )
        }
    }
}
