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
        let namespaces = "\(project)/namespaces"
        add(.client, at: "\(project)/remoteConfig", Words("Config", of: "apps"), to: &routes)
        add(
            .client,
            at: "\(namespaces)/\(ConfigNamespace.client.rawValue)/remoteConfig",
            Words("Config", "InNamespace", of: "apps, by namespace"),
            to: &routes
        )
        let server = "\(namespaces)/\(ConfigNamespace.server.rawValue)"
        add(.server, at: "\(server)/remoteConfig", Words("ServerConfig", of: "servers"), to: &routes)
        routes.on(.get, at: "\(server)/serverRemoteConfig", for: .viewer, use: getServerTemplate) {
            APIOperation(
                .remoteConfig,
                "getServerTemplate",
                "Get the template of servers in the form of Firebase's server SDKs"
            )
            .answers("The template.", .serverTemplate, headers: .etag)
        }
        routes.refuseOtherMethods(at: "\(server)/serverRemoteConfig")
        // New versions of google-auth also request the regions of a service account here, and continue without a
        // response.
        routes.otherwise(below: "v1/projects/*/*") { _ in throw HubError.entityNotFound }
    }

    /// The words that tell the descriptions of the same operation at several paths apart.
    private struct Words {
        /// The parts of the ids.
        var (noun, suffix): (String, String)
        /// The end of the summaries.
        var place: String

        init(_ noun: String, _ suffix: String = "", of place: String) {
            (self.noun, self.suffix, self.place) = (noun, suffix, place)
        }
    }

    /// Adds the routes of the template of a namespace.
    private func add(
        _ namespace: ConfigNamespace,
        at template: String,
        _ words: Words,
        to routes: inout RouteTable
    ) {
        let (noun, suffix, place) = (words.noun, words.suffix, words.place)
        routes.on(.get, at: template, for: .viewer) {
            try await get($0, namespace, $1)
        } describedBy: {
            APIOperation(.remoteConfig, "get\(noun)\(suffix)", "Get the template of \(place)")
                .parameters(.query("versionNumber", "An earlier version. Absent for the newest."))
                .answers("The template.", .configTemplate, headers: .etag)
        }
        routes.on(.put, at: template, for: .publisher) {
            try await put($0, namespace, $1)
        } describedBy: {
            APIOperation(.remoteConfig, "publish\(noun)\(suffix)", "Publish a template of \(place)")
                .parameters(
                    .header("If-Match", "The ETag of the template to replace; `*` replaces any.", isRequired: true),
                    .query("validateOnly", "`true` checks the template and publishes nothing.", .boolean())
                )
                .takes(.configTemplateInput)
                .answers("The template.", .configTemplate, headers: .etag)
                .answers("Another version was published meanwhile.", .error, status: 412)
        }
        let (rollback, versions) = ("\(template):rollback", "\(template):listVersions")
        routes.on(.post, at: rollback, for: .publisher) {
            try await rollBack($0, namespace, $1)
        } describedBy: {
            APIOperation(.remoteConfig, "rollBack\(noun)\(suffix)", "Publish an earlier version again of \(place)")
                .parameters(.query("versionNumber", "The version, if the request has no body."))
                .takes(
                    .fields([
                        "versionNumber": .either(["string", "integer"])
                    ]),
                    isRequired: false
                )
                .answers("The template.", .configTemplate, headers: .etag)
        }
        routes.on(.get, at: versions, for: .viewer) {
            try await listVersions($0, namespace, $1)
        } describedBy: {
            APIOperation(.remoteConfig, "list\(noun)\(suffix)Versions", "List the stored versions of \(place)")
                .parameters(
                    .query("pageSize", "The largest number of versions, at most 300.", .integer()),
                    .pageToken,
                    .query("endVersionNumber", "The newest version to list."),
                    .query("startTime", "Only versions since a time (RFC 3339)."),
                    .query("endTime", "Only versions before a time (RFC 3339).")
                )
                .answers("A page of versions.", .configVersionPage)
        }
        let defaults = "\(template):downloadDefaults"
        routes.on(.get, at: defaults, for: .viewer) {
            try await downloadDefaults($0, namespace, $1)
        } describedBy: {
            APIOperation(.remoteConfig, "download\(noun)Defaults\(suffix)", "Download the default values of \(place)")
                .parameters(
                    .query(
                        "format",
                        "A resource of Android, a property list of Apple's systems, or an object of texts.",
                        .choice(ConfigDefaults.Format.allCases.map(\.rawValue)),
                        isRequired: true
                    ),
                    .query("name", "Another template: `projects/{project}/namespaces/firebase-server/remoteConfig`.")
                )
                .answers(
                    "The texts that are defaults. Other parameters are absent.",
                    ["application/xml": .text(), "application/x-plist": .text(), "application/json": .map(of: .text())]
                )
        }
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
