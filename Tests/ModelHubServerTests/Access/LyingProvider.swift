import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelHubProtocol
import ModelHubServer
import Synchronization

/// An OpenID Connect provider on loopback that signs whatever a test wants.
final class LyingProvider: Sendable {
    struct State {
        var issuer: String?
        var key = P256.Signing.PrivateKey()
        var keyID = "first"
        /// The ids under which the public key is published.
        var publishedID = "first"
        var header: [String: Any] = [:]
        var claims: [String: Any] = [:]
        var nonce = ""
        var challenge = ""
        /// Answers of single paths, in place of the usual ones.
        var answers: [String: @Sendable () -> Response] = [:]
        /// The time that answers of single paths take.
        var pauses: [String: Duration] = [:]
        /// Makes the signature; nil for the key's.
        var sign: (@Sendable (String, P256.Signing.PrivateKey) -> String)?
        var requests: [String: Int] = [:]
        /// Further fields of the discovery document.
        var discovery: [String: String] = [:]
        /// The only refresh token that it takes. It changes with each use.
        var refreshToken: String?
        /// Whether it takes all refresh tokens.
        var takesAnyRefreshToken = false
        /// Whether its answers to refresh tokens repeat the ID token.
        var repeatsPerson = true
        /// Further claims about the person, if it has an endpoint for them.
        var information: [String: Any]?
        /// The answer to the question of a device: a code of an error, or nil for tokens.
        var deviceError: String? = "authorization_pending"
    }

    private let state: Mutex<State>

    static let clientID = "hub"

    init() { state = Mutex(State()) }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    /// The address, while it serves.
    var issuer: String? { state.withLock { $0.issuer } }

    func requests(of path: String) -> Int { state.withLock { $0.requests[path] ?? 0 } }

    /// Serves meanwhile.
    func serve(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let router = Router()
        let port = Mutex(0)
        // The closure needs the port only when a request arrives.
        router.on("**", method: .get) { [self] request, _ in
            try await pause(at: request.uri.path)
            return answer(to: request.uri.path, port.withLock { $0 }, "")
        }
        router.on("**", method: .post) { [self] request, _ in
            let body = try await request.body.collect(upTo: 1 << 16)
            return answer(to: request.uri.path, port.withLock { $0 }, String(buffer: body))
        }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
            .test(.live) { client in
                let own = client.port ?? 0
                port.withLock { $0 = own }
                state.withLock { $0.issuer = "http://127.0.0.1:\(own)" }
                try await body("http://127.0.0.1:\(own)")
            }
    }

    private func pause(at path: String) async throws {
        try await Task.sleep(for: state.withLock { $0.pauses[path] } ?? .zero)
    }

    private func answer(to path: String, _ port: Int, _ form: String) -> Response {
        state.withLock { state in
            state.requests[path, default: 0] += 1
            if let answer = state.answers[path] { return answer() }
            let issuer = "http://127.0.0.1:\(port)"
            switch path {
            case "/.well-known/openid-configuration":
                let document = [
                    "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize",
                    "token_endpoint": "\(issuer)/token",
                    "jwks_uri": "\(issuer)/keys", "device_authorization_endpoint": "\(issuer)/device",
                ]
                let own = state.information == nil ? [:] : ["userinfo_endpoint": "\(issuer)/userinfo"]
                return Self.json(document.merging(own) { $1 }.merging(state.discovery) { $1 })
            case "/userinfo": return Self.json(state.information ?? [:])
            case "/keys":
                let point = state.key.publicKey.x963Representation.dropFirst()
                let key: [String: Any] = [
                    "kty": "EC", "crv": "P-256", "use": "sig", "kid": state.publishedID,
                    "x": Base64URL.text(point.prefix(32)), "y": Base64URL.text(point.suffix(32)),
                ]
                // A key of an unknown kind is not a reason to refuse the others.
                return Self.json(["keys": [["kty": "XYZ", "kid": "odd"], key]])
            case "/device":
                return Self.json([
                    "device_code": "device-7", "user_code": "BDWP-HQPK", "verification_uri": "\(issuer)/activate",
                    "expires_in": 900, "interval": 1,
                ])
            case "/token" where form.contains("grant_type=refresh_token"):
                guard let known = state.refreshToken,
                    state.takesAnyRefreshToken || form.contains("refresh_token=\(known)")
                else {
                    return Self.json(["error": "invalid_grant"], status: .badRequest)
                }
                return Self.granted(&state, issuer, withPerson: state.repeatsPerson)
            case "/token" where form.contains("device_code=device-7"):
                if let error = state.deviceError { return Self.json(["error": error], status: .badRequest) }
                return Self.granted(&state, issuer)
            case "/token":
                guard let verifier = form.firstMatch(of: /code_verifier=([A-Za-z0-9_-]+)/)?.1,
                    Base64URL.text(SHA256.hash(data: Data(verifier.utf8))) == state.challenge
                else { return Self.json(["error": "invalid_grant"], status: .badRequest) }
                return Self.granted(&state, issuer)
            default: return Response(status: .notFound)
            }
        }
    }

    private static func granted(_ state: inout State, _ issuer: String, withPerson: Bool = true) -> Response {
        var tokens: [String: Any] = ["access_token": "x", "token_type": "Bearer", "expires_in": 600]
        if withPerson { tokens["id_token"] = token(state, issuer) }
        if state.refreshToken != nil {
            state.refreshToken = "refresh-\(UUID().uuidString)"
            tokens["refresh_token"] = state.refreshToken
        }
        return json(tokens)
    }

    /// A token that the provider signs.
    func signed(issuer: String, _ claims: @Sendable () -> [String: Any]) -> String {
        state.withLock { state in
            var state = state
            state.claims = claims()
            return Self.token(state, issuer)
        }
    }

    private static func token(_ state: State, _ issuer: String) -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        let header = ["alg": "ES256", "kid": state.keyID].merging(state.header) { $1 } as [String: Any]
        let claims =
            [
                "iss": issuer, "aud": clientID, "sub": "7", "email": "ada@example.com", "iat": now, "exp": now + 600,
                "nonce": state.nonce, "groups": ["ml-team", "everyone"],
            ].merging(state.claims) { $1 } as [String: Any]
        let text = [header, claims].map { Base64URL.text(bytes(of: $0)) }.joined(separator: ".")
        let signature =
            state.sign.map { $0(text, state.key) }
            ?? (try? state.key.signature(for: Data(text.utf8))).map { Base64URL.text($0.rawRepresentation) } ?? ""
        return "\(text).\(signature)"
    }

    private static func bytes(of value: Any) -> Data {
        (try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)) ?? Data()
    }

    static func json(_ value: Any, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: .init(data: bytes(of: value)))
        )
    }
}
