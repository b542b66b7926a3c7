import Foundation
import HTTPTypes
import Hummingbird

/// `:download` of a model, and the files that it leads to.
extension HubAPI {
    /// Where to fetch a published model, unless the client has it.
    func downloadInfo(_ request: APIRequest, project name: String, name modelName: String) async throws -> Response {
        guard let model = try await model(named: modelName, for: request, project: name) else {
            throw HubError.entityNotFound
        }
        // Unquoted, and the same with 304: the iOS client keeps it as it is and compares it.
        var headers = HTTPFields.unquoted(etag: model.hash.text)
        headers[.cacheControl] = "no-store"
        // The tag says which file it is and nothing else, so that a threshold must come with 304, too.
        let threshold = model.confidenceThreshold.map { "\($0)" }
        headers[.confidenceThreshold] = threshold
        metrics.countDownloadInfo()
        if request.matches(model.hash.text) { return .empty(.notModified, headers: headers) }
        headers[.contentType] = "application/json; charset=UTF-8"
        let expiry = hub.now().advanced(by: hub.options.addressLifetime)
        let address = DownloadAddress(
            hash: model.hash,
            model: model.id,
            fileName: "\(model.displayName).tflite",
            expires: expiry.milliseconds
        )
        // None of these texts has a character that JSON would escape.
        return .json(
            text:
                "{\"downloadUri\":\"\(address.text(base: request.base, signer: hub.signer))\",\"expireTime\":\"\(expiry)\","
                + "\"sizeBytes\":\"\(model.byteCount)\",\"modelFormat\":\"TFLITE\""
                + (threshold.map { ",\"confidenceThreshold\":\($0)" } ?? "") + "}",
            headers: headers
        )
    }

    /// The model, for whoever may download it: with the API key of an app, or with a bearer token.
    private func model(
        named modelName: String,
        for request: APIRequest,
        project name: String
    ) async throws -> ServedModel? {
        if request.local != nil || request.bearerToken != nil {
            let project = try await caller(request, project: name, atLeast: .read).project
            return try await hub.metadata.model(named: modelName, of: project.id)?.served
        }
        guard let key = request.query["key"] ?? request.headers[.googAPIKey], key.utf8.count <= 128,
            let found = try await hub.metadata.download(
                apiKeyHash: Credential.hash(ofSecret: key),
                modelNamed: modelName
            ), name == found.project || name == "\(found.projectNumber)"
        else { throw HubError.apiKey }
        if found.requiresInstallation {
            guard let token = request.headers[.installationToken],
                hub.installation(token: token)?.project == found.project
            else {
                throw HubError(
                    .unauthenticated,
                    "This project's models need an installation token of this hub; register the installation anew."
                )
            }
        }
        return found.model
    }

    /// A file by its signed address: `/files/{hash}/{name}?expires=&signature=`.
    func file(_ request: APIRequest) async throws -> Response {
        let path = request.path
        guard request.method == .get || request.method == .head else { throw HubError.methodNotAllowed }
        guard path.count == 3, let hash = BlobHash(path[1]), let expires = request.query["expires"].flatMap(Int64.init),
            let model = request.query["model"].flatMap(Int64.init), let signature = request.query["signature"],
            DownloadAddress(hash: hash, model: model, fileName: path[2], expires: expires)
                .isSigned(by: signature, signer: hub.signer)
        else {
            throw HubError(.permissionDenied, "The download address is not one that this hub gave out; ask it for one.")
                .forWrongCredential
        }
        guard expires > hub.now().milliseconds else {
            // 400 is what makes the mobile clients ask for a new address.
            throw HubError(.invalidArgument, "The download address has expired; ask for a new one.")
        }
        metrics.countDownload()
        let response = try await files.response(for: hash, in: hub.blobs, to: request)
        if request.method == .get, response.hasFirstByte { hub.downloads.count(model) }
        return response
    }
}

extension Response {
    /// Whether a file begins with it, as opposed to going on after a break.
    fileprivate var hasFirstByte: Bool {
        status == .ok || status == .partialContent && headers[.contentRange]?.hasPrefix("bytes 0-") == true
    }
}

extension APIRequest {
    /// Whether `If-None-Match` names an entity: bare, quoted or weak. A bare star stands for "any".
    func matches(_ etag: String) -> Bool {
        guard let header = headers[.ifNoneMatch] else { return false }
        return header.split(separator: ",").contains { part in
            var text = part.trimmingCharacters(in: .whitespaces)[...]
            if text.hasPrefix("W/") { text = text.dropFirst(2) }
            if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
            return text == etag || text == "*"
        }
    }
}
