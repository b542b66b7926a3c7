import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// `/token` of OAuth 2, for service accounts.
struct TokenRoutes {
    let hub: Hub
    let guesses: GuessLimiter
    /// The address by which clients reach the hub, if the operator set it.
    let address: String?

    func add(to routes: inout RouteTable) {
        routes.on(.post, at: "token", use: token) {
            APIOperation(.access, "createAccessToken", "Sign in with a key file")
                .takes([
                    "application/x-www-form-urlencoded": .fields([
                        "grant_type": .constant("urn:ietf:params:oauth:grant-type:jwt-bearer"),
                        "assertion": .text("A JWT that the private key of the key file signs (RFC 7523)."),
                    ])
                ])
                .answers("The token.", .accessToken)
                .answers("The request or the assertion is not valid.", .accessTokenError, status: 400)
        }
    }

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

    /// OAuth's own error body (RFC 6749, section 5.2).
    struct TokenError: Encodable {
        enum Code: String, Encodable, CaseIterable {
            case invalidRequest = "invalid_request"
            case invalidGrant = "invalid_grant"
            case unsupportedGrantType = "unsupported_grant_type"
        }

        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        let error: Code
        let description: String
    }

    /// The maximum size of an assertion, which usually has about a thousand bytes.
    private static let tokenBodyLimit = 32 << 10

    @Sendable
    private func token(_ request: APIRequest) async throws -> Response {
        try guesses.check(request.client)
        let form: [String: String]
        do {
            form = try await request.form(upTo: Self.tokenBodyLimit)
        } catch let error as RequestError where error.status == .badRequest {
            return try refusal(.invalidRequest, HubError(error).message)
        }
        guard let kind = form["grant_type"] else {
            return try refusal(.invalidRequest, "The form has no field grant_type.")
        }
        guard kind == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            return try refusal(
                .unsupportedGrantType,
                "This hub accepts only assertions of service accounts (RFC 7523)."
            )
        }
        guard let assertion = form["assertion"] else {
            return try refusal(.invalidRequest, "The form has no field assertion.")
        }
        do {
            let token = try await hub.accessToken(
                forAssertion: assertion,
                address: address.map { .operators($0) } ?? .clients(request.base)
            )
            return try .json(TokenBody(accessToken: token))
        } catch let error as HubError where error.code == .unauthenticated || error.code == .invalidArgument {
            guesses.count(assertion, from: request.client, request.logger)
            return try refusal(.invalidGrant, error.message)
        }
    }

    private func refusal(_ code: TokenError.Code, _ description: String) throws -> Response {
        try .json(TokenError(error: code, description: description), status: .badRequest)
    }
}
