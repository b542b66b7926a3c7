import Foundation
import HTTPTypes

/// The callers of requests.
extension Hub {
    /// The caller with a bearer token, for the project in the path; `-` stands for the credential's own project.
    func caller(_ request: APIRequest, project: String, atLeast role: Role) async throws -> Caller {
        let caller = try await caller(request)
        guard project == "-" || project == caller.project.id || project == "\(caller.project.number)" else {
            throw HubError(
                .permissionDenied,
                "The credential belongs to another project than \"\(project.prefix(64))\"; use a credential of that project."
            )
        }
        try caller.require(role)
        return caller
    }

    /// The caller with a bearer token.
    func caller(_ request: APIRequest) async throws -> Caller {
        if let local = request.local { return local }
        guard let token = request.bearerToken else {
            throw HubError(
                .unauthenticated,
                request.apiKey != nil
                    ? "API keys are not supported by this API; send a bearer token in the Authorization header."
                    : "This needs a bearer token in the Authorization header; create a token with `sightline hub key create`."
            )
        }
        return try await caller(bearerToken: token)
    }
}

extension APIRequest {
    /// The API key of an app.
    var apiKey: String? { query["key"] ?? headers[.googAPIKey] }

    /// The token of `Authorization: Bearer …`.
    var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 8192 else { return nil }
        return String(parts[1]).trimmingCharacters(in: .whitespaces)
    }
}

extension HubError {
    static let apiKey = HubError(
        .permissionDenied,
        "The API key is missing, unknown, revoked or belongs to another project; create a key with `sightline hub key create --api-key`."
    ).forWrongCredential
}
