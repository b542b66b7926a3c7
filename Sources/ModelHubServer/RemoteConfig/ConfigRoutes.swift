import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore

/// Remote Config's management API: `/v1/projects/{project}/remoteConfig`, and the same below `namespaces/{namespace}`.
struct ConfigRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let project = "v1/projects/{project}"
        add(.client, at: "\(project)/remoteConfig", to: &routes)
        for namespace in ConfigNamespace.allCases {
            add(namespace, at: "\(project)/namespaces/\(namespace.rawValue)/remoteConfig", to: &routes)
        }
        let serverTemplate = "\(project)/namespaces/firebase-server/serverRemoteConfig"
        routes.on(.get, at: serverTemplate, for: .viewer, use: getServerTemplate)
        routes.refuseOtherMethods(at: serverTemplate)
        // New versions of google-auth also request the regions of a service account here, and continue without a
        // response.
        routes.otherwise(below: "v1/projects/*/*") { _ in throw HubError.entityNotFound }
    }

    /// Adds the routes of the template of a namespace.
    private func add(_ namespace: ConfigNamespace, at template: String, to routes: inout RouteTable) {
        routes.on(.get, at: template, for: .viewer) { try await get($0, namespace, $1) }
        routes.on(.put, at: template, for: .publisher) { try await put($0, namespace, $1) }
        let (rollback, versions) = ("\(template):rollback", "\(template):listVersions")
        routes.on(.post, at: rollback, for: .publisher) { try await rollBack($0, namespace, $1) }
        routes.on(.get, at: versions, for: .viewer) { try await listVersions($0, namespace, $1) }
        let defaults = "\(template):downloadDefaults"
        routes.on(.get, at: defaults, for: .viewer) { try await downloadDefaults($0, namespace, $1) }
        for path in [template, rollback, versions, defaults] { routes.refuseOtherMethods(at: path) }
    }

    @Sendable
    private func getServerTemplate(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let published = try await hub.configTemplate(in: .server, by: caller)
        return try .json(try ServerTemplate(published), headers: .unquoted(etag: published.etag))
    }

    private func get(
        _ request: APIRequest,
        _ namespace: ConfigNamespace,
        _ caller: Caller
    ) async throws -> Response {
        let version = try Self.versionNumber(request.query["versionNumber"] ?? request.query["version_number"])
        return try Self.response(try await hub.storedTemplate(version, in: namespace, by: caller))
    }

    private func rollBack(
        _ request: APIRequest,
        _ namespace: ConfigNamespace,
        _ caller: Caller
    ) async throws -> Response {
        guard let number = try await Self.versionToRestore(request) else {
            throw HubError(.invalidArgument, "Neither the body nor the query has a versionNumber to roll back to.")
        }
        let published = try await hub.rollBackConfig(
            to: number,
            in: namespace,
            origin: request.updateOrigin,
            by: caller
        )
        return try Self.response(published.stored)
    }

    /// The version in the body, or in the query, where Firebase's command line puts it.
    private static func versionToRestore(_ request: APIRequest) async throws -> Int64? {
        let inQuery = try versionNumber(request.query["versionNumber"] ?? request.query["version_number"])
        let body = Array(try await request.smallBody().readableBytesView)
        guard !body.isEmpty else { return inQuery }
        let node = try JSONNode.document(body, called: "The body")
        let field = node["versionNumber"] ?? node["version_number"]
        guard let inBody = try versionNumber(field?.stringOrNumber) else { return inQuery }
        guard inQuery == nil || inQuery == inBody else {
            throw HubError(.invalidArgument, "The query names another versionNumber than the body; send one of them.")
        }
        return inBody
    }

    /// The default values in a format that an app of the platform takes as its own defaults.
    private func downloadDefaults(
        _ request: APIRequest,
        _ namespace: ConfigNamespace,
        _ caller: Caller
    ) async throws -> Response {
        let text = request.query["format"] ?? ""
        guard let format = ConfigDefaults.Format(rawValue: text.uppercased()) else {
            throw HubError(
                .invalidArgument,
                "\"\(text.prefix(40))\" is not a format of defaults; use format=XML, PLIST or JSON."
            )
        }
        let named = try request.query["name"].map { (name) throws(HubError) in
            try ConfigNamespace.ofTemplate(name, in: caller.project)
        }
        let template = try await hub.configTemplate(in: named ?? namespace, by: caller).template
        let headers: HTTPFields = [
            .contentType: format.contentType,
            .contentDisposition: "attachment; filename=\"remote_config_defaults.\(text.lowercased())\"",
        ]
        let body = ConfigDefaults(template).text(format)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }

    private static func response(_ stored: StoredTemplate) throws -> Response {
        .json(text: try TemplateResource(stored).json, headers: .unquoted(etag: stored.etag))
    }

    private func put(
        _ request: APIRequest,
        _ namespace: ConfigNamespace,
        _ caller: Caller
    ) async throws -> Response {
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
        do {
            let published = try await hub.publishConfig(
                text,
                in: namespace,
                replacing: EntityTag(header).text,
                origin: request.updateOrigin,
                onlyCheck: isChecked,
                by: caller
            )
            if isChecked {
                let resource = try TemplateResource(checked: published)
                return .json(text: resource.json, headers: .unquoted(etag: published.etag))
            }
            return try Self.response(published.stored)
        } catch var error as HubError where error.code == .invalidArgument {
            error.configCode = "VALIDATION_ERROR"
            throw error
        }
    }

    private struct VersionPage: Encodable {
        var versions: [VersionResource]?
        var nextPageToken: String?
    }

    private struct VersionPageToken: Codable {
        var before: Int64
        var project: String
    }

    private func listVersions(
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
        guard let seconds = WireTime.date(text)?.timeIntervalSince1970, abs(seconds) < 1e12 else {
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
}
