import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelHubProtocol
import Synchronization

@testable import ModelHubServer

/// An OpenID Connect provider on loopback that signs whatever a test wants.
final class LyingProvider: Sendable {
    struct State {
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
        /// Makes the signature; nil for the key's.
        var sign: (@Sendable (String, P256.Signing.PrivateKey) -> String)?
        var requests: [String: Int] = [:]
        /// What a discovery document says besides.
        var discovery: [String: String] = [:]
    }

    private let state: Mutex<State>

    static let clientID = "hub"

    init() { state = Mutex(State()) }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    func requests(of path: String) -> Int { state.withLock { $0.requests[path] ?? 0 } }

    /// Serves meanwhile.
    func serve(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let router = Router()
        let port = Mutex(0)
        // The closure needs the port only when a request arrives.
        router.on("**", method: .get) { [self] request, _ in answer(to: request.uri.path, port.withLock { $0 }, "") }
        router.on("**", method: .post) { [self] request, _ in
            let body = try await request.body.collect(upTo: 1 << 16)
            return answer(to: request.uri.path, port.withLock { $0 }, String(buffer: body))
        }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
            .test(.live) { client in
                let own = client.port ?? 0
                port.withLock { $0 = own }
                try await body("http://127.0.0.1:\(own)")
            }
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
                    "jwks_uri": "\(issuer)/keys",
                ]
                return Self.json(document.merging(state.discovery) { $1 })
            case "/keys":
                let point = state.key.publicKey.x963Representation.dropFirst()
                let key: [String: Any] = [
                    "kty": "EC", "crv": "P-256", "use": "sig", "kid": state.publishedID,
                    "x": Base64URL.text(point.prefix(32)), "y": Base64URL.text(point.suffix(32)),
                ]
                // A key of an unknown kind is no reason to refuse the others.
                return Self.json(["keys": [["kty": "XYZ", "kid": "odd"], key]])
            case "/token":
                guard let verifier = form.firstMatch(of: /code_verifier=([A-Za-z0-9_-]+)/)?.1,
                    Base64URL.text(SHA256.hash(data: Data(verifier.utf8))) == state.challenge
                else { return Response(status: .badRequest) }
                return Self.json(["access_token": "x", "token_type": "Bearer", "id_token": Self.token(state, issuer)])
            default: return Response(status: .notFound)
            }
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

    static func json(_ value: Any) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: .init(data: bytes(of: value)))
        )
    }
}
