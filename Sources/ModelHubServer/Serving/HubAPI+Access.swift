import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// `/token` of OAuth 2, for service accounts, and `/v1/projects/{project}/installations` of Firebase Installations.
extension HubAPI {
    private struct TokenBody: Encodable {
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresIn = "expires_in"
            case tokenType = "token_type"
        }

        var accessToken: String
        var expiresIn = Int(Hub.accessTokenLifetime.components.seconds)
        let tokenType = "Bearer"
    }

    private struct TokenError: Encodable {
        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        let error = "invalid_grant"
        var description: String
    }

    /// The maximum size of an assertion, which usually has about a thousand bytes.
    private static let tokenBodyLimit = 32 << 10
    private static let installationBodyLimit = 16 << 10

    func token(_ request: APIRequest, _ logger: Logger) async throws -> Response {
        try guesses.check(request.client)
        let form = try await request.form(upTo: Self.tokenBodyLimit)
        guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer", let assertion = form["assertion"]
        else {
            return try .json(
                TokenError(description: "This hub accepts only assertions of service accounts (RFC 7523)."),
                status: .badRequest
            )
        }
        do {
            let token = try await hub.accessToken(forAssertion: assertion, address: publicAddress)
            return try .json(TokenBody(accessToken: token))
        } catch let error as HubError where error.code == .unauthenticated || error.code == .invalidArgument {
            guesses.count(assertion, from: request.client, logger)
            // OAuth has its own error body (RFC 6749, section 5.2).
            return try .json(TokenError(description: error.message), status: .badRequest)
        }
    }

    private struct InstallationInput: Decodable {
        var fid: String?
        var appId: String?
    }

    private struct AuthTokenBody: Encodable {
        var token: String
        /// The mobile clients drop the last character and parse a number.
        var expiresIn = "604800s"
    }

    private struct InstallationBody: Encodable {
        var name: String
        var fid: String
        var refreshToken: String
        var authToken: AuthTokenBody
    }

    func installations(_ request: APIRequest) async throws -> Response {
        let custom = request.customMethod
        let path = custom?.path ?? request.path
        guard let key = request.query["key"] ?? request.headers[.googAPIKey],
            let project = try await hub.project(apiKey: key), path[2] == project.id || path[2] == "\(project.number)"
        else { throw HubError.apiKey }
        switch (path.count, custom?.verb, request.method) {
        case (4, nil, .post):
            let input = try await request.json(InstallationInput.self, upTo: Self.installationBodyLimit)
            let fid = input.fid.flatMap { Installation.isID($0) ? $0 : nil } ?? Installation.makeID()
            let installation = Installation(fid: fid, app: String((input.appId ?? "").prefix(200)), project: project.id)
            return try .json(
                InstallationBody(
                    name: "projects/\(project.number)/installations/\(fid)",
                    fid: fid,
                    refreshToken: try hub.refreshToken(for: installation),
                    authToken: AuthTokenBody(token: try hub.installationToken(for: installation))
                )
            )
        case (6, "generate", .post) where path[5] == "authTokens":
            return try .json(
                AuthTokenBody(token: try hub.installationToken(for: try installation(request, path[4], project)))
            )
        case (5, nil, .delete):
            _ = try installation(request, path[4], project)
            return try .json(EmptyObject())
        default:
            throw HubError.entityNotFound
        }
    }

    /// The installation of a request's refresh token.
    private func installation(_ request: APIRequest, _ fid: String, _ project: Project) throws(HubError) -> Installation
    {
        let prefix = "FIS_v2 "
        guard let header = request.headers[.authorization], header.hasPrefix(prefix),
            let installation = hub.installation(refreshToken: String(header.dropFirst(prefix.count))),
            installation.fid == fid, installation.project == project.id
        else {
            throw HubError(
                .unauthenticated,
                "The refresh token belongs to another installation; register this installation again."
            )
        }
        return installation
    }
}

extension HubError {
    static let apiKey = HubError(
        .permissionDenied,
        "The API key is missing, unknown, revoked or belongs to another project; create a key with `sightline hub key create --api-key`."
    ).forWrongCredential
}
