import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol

/// `:download` of a model, and the files at the returned addresses.
struct DownloadRoutes {
    let hub: Hub
    let files: FileResponder
    let metrics: HubMetrics

    func add(to routes: inout RouteTable) {
        let info = "v1beta2/projects/{project}/models/{model}:download"
        let kind = RouteKind(isQuick: true, area: "download-info", isOpenToOtherSites: true)
        routes.on(.get, .head, at: info, for: .app(.viewer), kind: kind, use: downloadInfo) {
            APIOperation(.apps, "getDownload", "Get the address of a model's file")
                .explained(
                    "The ETag is the SHA-256 of the file. Compare it with the downloaded bytes. Installation tokens are necessary only in projects that require them, and to take part in a rollout."
                )
                .parameters(
                    .path("model", "The display name of the model."),
                    .query(
                        "alias",
                        "The alias of a version, such as `staging`. `production`, the served version, by default."
                    ),
                    .header("If-None-Match", "The ETag of the file that the app has."),
                    .header("X-Sightline-Manifest", "Any value, such as `1`: the app wants the signed manifest, too."),
                    .header(
                        "X-Sightline-Formats",
                        "The formats that the app reads, such as `tflite, onnx`. Without this field, as Firebase's clients send it, a version in ONNX is answered with the status 404."
                    )
                )
                .answers("The address of the file.", .download, headers: .etag, .threshold, .rollout, .manifest)
                .answers(
                    "The file has the ETag in `If-None-Match`.",
                    status: 304,
                    headers: .etag,
                    .threshold,
                    .rollout,
                    .manifest
                )
                .head("checkDownload", "See whether a model's file changed")
        }
        routes.refuseOtherMethods(at: info)
        let file = "files/{hash}/{name}"
        routes.on(.get, .head, at: file, kind: RouteKind(isQuick: true, isOpenToOtherSites: true), use: self.file) {
            APIOperation(.apps, "getFile", "Download a model's file")
                .explained("Use `downloadUri` unchanged; do not build this address yourself.")
                .parameters(
                    .query("model", "Part of the signed address.", isRequired: true),
                    .query("expires", "Part of the signed address.", isRequired: true),
                    .query("signature", "Part of the signed address.", isRequired: true),
                    .header("Range", "A range of bytes, to resume a download."),
                    .header("If-Range", "The ETag of the part that the app has.")
                )
                .answers("The file.", ["application/octet-stream": .bytes])
                .answers("A part of the file.", ["application/octet-stream": .bytes], status: 206)
                .answers("The address has expired. Request a new one.", .error, status: 400)
                .head("checkFile", "See the size of a model's file")
        }
        routes.otherwise(below: "files", kind: RouteKind(isOpenToOtherSites: true), use: self.file)
    }

    /// The address of the version that the client asks for, unless the client has it.
    @Sendable
    private func downloadInfo(_ request: APIRequest) async throws -> Response {
        let alias = request.query["alias"].map { ModelAlias(rawValue: $0) } ?? .production
        let (found, group) = try await version(for: request, alias)
        guard let model = found else {
            throw alias == .production ? HubError.entityNotFound : alias.notFound(of: request["model"])
        }
        // Unquoted, and also with 304: the iOS client stores it unchanged and compares it.
        var headers = HTTPFields.unquoted(etag: model.hash.text)
        headers[.cacheControl] = "no-store"
        // The ETag identifies only the file, so the threshold must also accompany 304.
        headers[.confidenceThreshold] = model.confidenceThreshold.map { "\($0)" }
        headers[.rollout] = group
        // An app that trusts keys saves a request. The others do not cost a look-up.
        if request.headers[.manifest] != nil,
            let content = try await hub.records.manifest(of: model.id, alias, model.hash)
        {
            headers[.manifest] = Base64URL.text(content)
        }
        metrics.downloadInfos.increment()
        // A client that has the file can read it.
        if request.matches(model.hash.text) { return .empty(.notModified, headers: headers) }
        let format = try await hub.format(of: model.hash)
        guard HostedFormat.formats(in: request.headers[.formats]).contains(format) else {
            throw model.unreadable(format)
        }
        headers[.contentType] = "application/json; charset=UTF-8"
        let expiry = hub.now().advanced(by: hub.options.addressLifetime)
        let address = DownloadAddress(
            hash: model.hash,
            model: model.id,
            fileName: "\(model.displayName).\(format.fileExtension)",
            expires: expiry.milliseconds
        )
        let resource = DownloadResource(
            downloadUri: address.text(base: request.base, signer: hub.signer),
            expireTime: "\(expiry)",
            byteCount: model.byteCount,
            format: format,
            confidenceThreshold: model.confidenceThreshold
        )
        return .json(text: resource.json, headers: headers)
    }

    /// The version, for callers that may download it, and their part in its rollout.
    private func version(
        for request: APIRequest,
        _ alias: ModelAlias
    ) async throws -> (model: ServedModel?, group: String?) {
        let (model, rollout) = try await model(for: request, alias)
        guard let rollout, model != nil else { return (model, nil) }
        // A token is optional in most projects; without a valid one, the installation is unknown and gets the old version.
        guard let installation = request.headers[.installationToken].flatMap({ hub.installation(token: $0) }),
            installation.project == rollout.project
        else { return (model, "\(rollout.served.id) unidentified") }
        let group = rollout.served.group(of: installation.fid)
        let name = group.isCompared ? group.rawValue : "uncompared"
        return (group.hasNewVersion ? rollout.served.new : model, "\(rollout.served.id) \(name)")
    }

    /// The version, for callers that may download it: with the API key of an app, or with a bearer token. A bearer token
    /// also gives access to the aliases of models that are not published, and takes part in no rollout.
    func model(
        for request: APIRequest,
        _ alias: ModelAlias
    ) async throws -> (model: ServedModel?, rollout: (project: String, served: ServedRollout)?) {
        let (name, modelName) = (request["project"], request["model"])
        if request.local != nil || request.bearerToken != nil {
            let project = try await hub.caller(request, project: name, atLeast: .viewer).project
            guard let model = try await hub.records.model(named: modelName, of: project.id) else { return (nil, nil) }
            if alias == .production { return (model.served, nil) }
            guard let number = model.version(named: alias) else { return (nil, nil) }
            return (try await hub.records.version(number, of: model.id)?.served(of: model), nil)
        }
        guard let key = request.apiKey, key.utf8.count <= 128,
            let found = try await hub.records.download(
                apiKeyHash: Credential.hash(ofSecret: key),
                modelNamed: modelName,
                alias: alias
            ), name == found.project || name == "\(found.projectNumber)"
        else { throw HubError.apiKey }
        try hub.accept(found.key)
        if found.requiresInstallation {
            guard let token = request.headers[.installationToken],
                hub.installation(token: token)?.project == found.project
            else {
                throw HubError(
                    .unauthenticated,
                    "This project's models need an installation token of this hub; register the installation again."
                )
            }
        }
        return (found.model, found.rollout.map { (found.project, $0) })
    }

    /// A file by its signed address: `/files/{hash}/{name}?expires=&signature=`.
    @Sendable
    private func file(_ request: APIRequest) async throws -> Response {
        let name = request["name"]
        guard request.method == .get || request.method == .head else { throw HubError.methodNotAllowed("GET, HEAD") }
        guard let hash = BlobHash(request["hash"]), let expires = request.query["expires"].flatMap(Int64.init),
            let model = request.query["model"].flatMap(Int64.init), let signature = request.query["signature"],
            DownloadAddress(hash: hash, model: model, fileName: name, expires: expires)
                .isSigned(by: signature, signer: hub.signer)
        else {
            throw HubError(.permissionDenied, "The download address was not issued by this hub; request a new one.")
                .forWrongCredential
        }
        guard expires > hub.now().milliseconds else {
            // 400 makes the mobile clients request a new address.
            throw HubError(.invalidArgument, "The download address has expired; request a new one.")
        }
        metrics.downloads.increment()
        let response = try await files.response(for: hash, in: hub.blobs, to: request)
        if request.method == .get, response.hasFirstByte { hub.downloads.count(model, hash) }
        return response
    }
}

extension APIParameter {
    fileprivate static let rollout = header(
        "X-Sightline-Rollout",
        "The id of the model's rollout and the group of the installation in it: `new` and `old` report outcomes under this id and variant, `uncompared` does not, `unidentified` lacks a valid installation token. Absent without a rollout.",
        .text()
    )
    fileprivate static let manifest = header(
        "X-Sightline-Manifest",
        "The signed manifest as `:manifest` answers it, in base64url, if the request has this field. Absent if the version is not signed."
    )
    fileprivate static let threshold = header(
        "X-Sightline-Confidence-Threshold",
        "The threshold of the version. Absent if it has none.",
        .number()
    )
}

extension ServedModel {
    /// The error for a client that does not read the format of the version: the same status as for a model that does not exist, which
    /// Firebase's clients understand.
    fileprivate func unreadable(_ format: HostedFormat) -> HubError {
        HubError(
            .notFound,
            "\(displayName) is a model in the format \(format.title), which this client does not read; use a client of Sightline, or "
                + "send X-Sightline-Formats: \(HostedFormat.list([format]))."
        )
    }
}

extension ModelAlias {
    /// The error if a model has no such alias, is not published, or does not exist.
    func notFound(of model: String) -> HubError {
        HubError(
            .notFound,
            "There is no published model \"\(model.prefix(80))\" with the alias \"\(rawValue.prefix(80))\"; `sightline hub show` lists the "
                + "aliases of a model."
        )
    }
}

extension Response {
    /// Whether the response begins with the first byte of a file and does not resume a download.
    fileprivate var hasFirstByte: Bool {
        status == .ok || status == .partialContent && headers[.contentRange]?.hasPrefix("bytes 0-") == true
    }
}

extension APIRequest {
    /// Whether `If-None-Match` names an entity: bare, quoted or weak. A bare star matches every entity.
    func matches(_ etag: String) -> Bool {
        guard let header = headers[.ifNoneMatch] else { return false }
        return EntityTag.list(header, contains: etag)
    }
}
