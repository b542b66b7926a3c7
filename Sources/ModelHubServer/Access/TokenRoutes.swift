import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// `/token` of OAuth 2, for service accounts, and for commands that a person allows. Earlier libraries of Google's use its earlier
/// addresses.
struct TokenRoutes {
    let hub: Hub
    let guesses: GuessLimiter
    /// The address by which clients reach the hub, if the operator set it.
    let address: String?
    private let devicePolls = DevicePolls()

    init(hub: Hub, guesses: GuessLimiter, address: String?) {
        (self.hub, self.guesses, self.address) = (hub, guesses, address)
    }

    func add(to routes: inout RouteTable) {
        add("createAccessToken", "Sign in with a key file, or end the sign-in of a device", at: "token", to: &routes)
        let earlier = "Sign in with a key file, at an earlier address of Google's"
        add("createAccessTokenOfAccounts", earlier, at: "o/oauth2/token", to: &routes)
        add("createAccessTokenOfAPIs", earlier, at: "oauth2/v4/token", to: &routes)
    }

    private func add(_ id: String, _ summary: String, at path: String, to routes: inout RouteTable) {
        routes.on(.post, at: path, use: token) {
            APIOperation(.access, id, summary)
                .takes([
                    "application/x-www-form-urlencoded": .fields([
                        "grant_type": .choice([Self.assertionGrant, OpenIDDeviceAttempt.grant]),
                        "assertion?": .text("A JWT that the private key of the key file signs (RFC 7523)."),
                        "device_code?": .text("The code of `/device_authorization` (RFC 8628)."),
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
        /// Seconds.
        var expiresIn: Int
        let tokenType = "Bearer"
    }

    /// OAuth's own error body (RFC 6749, section 5.2; RFC 8628, section 3.5).
    struct TokenError: Encodable {
        enum Code: String, Encodable, CaseIterable {
            case invalidRequest = "invalid_request"
            case invalidGrant = "invalid_grant"
            case unsupportedGrantType = "unsupported_grant_type"
            case pending = "authorization_pending"
            case slowDown = "slow_down"
            case denied = "access_denied"
            case expired = "expired_token"

            /// The device sign-in in the response.
            fileprivate var description: String {
                switch self {
                case .pending: "The person has not allowed the device yet; ask again."
                case .slowDown: "The device asks too often; wait 5 seconds longer between two requests."
                case .denied: "The person did not allow the device."
                case .expired: "The sign-in has ended without the person; begin a new one."
                case .invalidRequest, .invalidGrant, .unsupportedGrantType:
                    "The provider does not know the code, or it was used; begin a new sign-in."
                }
            }
        }

        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        let error: Code
        let description: String
    }

    private static let assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// The maximum size of an assertion, which usually has about a thousand bytes.
    private static let tokenBodyLimit = 32 << 10

    @Sendable
    private func token(_ request: APIRequest) async throws -> Response {
        let form: [String: String]
        do {
            form = try await request.form(upTo: Self.tokenBodyLimit)
        } catch let error as RequestError where error.status == .badRequest {
            return try refusal(.invalidRequest, HubError(error).message)
        }
        guard let kind = form["grant_type"] else {
            return try refusal(.invalidRequest, "The form has no field grant_type.")
        }
        if kind == OpenIDDeviceAttempt.grant { return try await deviceToken(form["device_code"] ?? "", request) }
        guard kind == Self.assertionGrant else {
            return try refusal(
                .unsupportedGrantType,
                "This hub accepts only assertions of service accounts (RFC 7523), and devices that a person allows (RFC 8628)."
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
            let lifetime = Int(Hub.accessTokenLifetime.components.seconds)
            return try .json(TokenBody(accessToken: token, expiresIn: lifetime))
        } catch let error as HubError where error.code == .unauthenticated || error.code == .invalidArgument {
            try guesses.count(assertion, of: request)
            return try refusal(.invalidGrant, error.message)
        }
    }

    /// The token of a device that a person allowed.
    private func deviceToken(_ code: String, _ request: APIRequest) async throws -> Response {
        guard devicePolls.mayAsk(code) else { return try refusal(.slowDown, TokenError.Code.slowDown.description) }
        let ended: Hub.DeviceSignIn
        do {
            ended = try await hub.endDeviceSignIn(code: code)
        } catch let error as HubError where error.code == .permissionDenied || error.code == .unauthenticated {
            return try refusal(.denied, error.message)
        }
        switch ended {
        case .signedIn(let opened):
            let lifetime = Int(ConsoleSession.lifetime.components.seconds)
            return try .json(TokenBody(accessToken: opened.id, expiresIn: lifetime))
        case .refused(let reason):
            guard let known = TokenError.Code(rawValue: reason.code) else {
                throw OpenIDProvider.unavailable("refused: \(reason)")
            }
            if known == .invalidGrant { try guesses.count(code, of: request) }
            let explanation = reason.explanation == nil ? "" : " The provider's reason: \(reason)."
            return try refusal(known, known.description + explanation)
        }
    }

    private func refusal(_ code: TokenError.Code, _ description: String) throws -> Response {
        try .json(TokenError(error: code, description: description), status: .badRequest)
    }
}
