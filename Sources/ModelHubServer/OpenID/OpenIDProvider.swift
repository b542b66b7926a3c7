import Foundation
import HTTPServing
import JWTKit
import ModelHubProtocol
import NIOCore
import Synchronization

/// What the hub knows of an OpenID Connect provider: its endpoints (OpenID Connect Discovery 1.0) and its keys (RFC 7517).
final class OpenIDProvider: Sendable {
    /// The part of the discovery document that the hub needs.
    struct Discovery: Decodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case issuer
            case authorization = "authorization_endpoint"
            case token = "token_endpoint"
            case keys = "jwks_uri"
            case deviceAuthorization = "device_authorization_endpoint"
            case userInformation = "userinfo_endpoint"
        }

        var issuer: String
        var authorization: String
        var token: String
        var keys: String
        /// The endpoint of RFC 8628; nil if the provider has none.
        var deviceAuthorization: String?
        /// The endpoint of OpenID Connect Core 1.0, section 5.3; nil if the provider has none.
        var userInformation: String?
    }

    /// A key of the provider, and what it may be used for.
    struct Key: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey { case use }

        var use: String?
        var jwk: JWK

        init(from decoder: any Decoder) throws {
            use = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .use)
            jwk = try JWK(from: decoder)
        }
    }

    private struct State {
        var discovery: (document: Discovery, time: ContinuousClock.Instant)?
        var keys: [Key]?
        var keysTime: ContinuousClock.Instant?
        var failureTime: ContinuousClock.Instant?
    }

    let settings: OpenIDSettings
    private let requests: OpenIDRequests
    private let state = Mutex(State())
    private let discoveries = SharedCall<String, Discovery, HubError>()
    private let keyReadings = SharedCall<String, [Key], HubError>()

    /// The time after which the discovery document is read again.
    private static let discoveryLifetime = Duration.seconds(3600)
    /// The time after which keys are read again, so that a key that the provider withdrew does not stay.
    private static let keyLifetime = Duration.seconds(3600)
    /// The shortest time between two readings of keys because of unknown keys, and between two failed discoveries.
    private static let shortestInterval = Duration.seconds(10)

    init(_ settings: OpenIDSettings) {
        self.settings = settings
        requests = OpenIDRequests(issuerHost: URL(string: settings.issuer)?.host(percentEncoded: false) ?? "")
    }

    /// The provider's endpoints.
    ///
    /// - Throws: `.unavailable` if the provider does not answer, or answers for another issuer.
    func discovery() async throws(HubError) -> Discovery {
        let (known, failure) = state.withLock { ($0.discovery, $0.failureTime) }
        if let known, known.time.advanced(by: Self.discoveryLifetime) > .now { return known.document }
        if let failure, failure.advanced(by: Self.shortestInterval) > .now {
            throw Self.unavailable("did not answer a moment ago")
        }
        return try await discoveries.result(for: "") { () async throws(HubError) in
            do throws(HubError) {
                let document = try await self.readDiscovery()
                self.state.withLock { $0.discovery = (document, .now) }
                return document
            } catch {
                self.state.withLock { $0.failureTime = .now }
                throw error
            }
        }
    }

    private func readDiscovery() async throws(HubError) -> Discovery {
        let issuer = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let data = try await document(at: "\(issuer)/.well-known/openid-configuration")
        guard let document = try? JSONDecoder().decode(Discovery.self, from: data) else {
            throw Self.unavailable("has no readable discovery document")
        }
        guard document.issuer == settings.issuer else {
            throw Self.unavailable("calls itself \"\(document.issuer.prefix(200))\", not \"\(settings.issuer)\"")
        }
        let addresses = [
            document.authorization, document.token, document.keys, document.deviceAuthorization,
            document.userInformation,
        ]
        for address in addresses.compactMap(\.self) where !settings.allows(address) {
            throw Self.unavailable("states the endpoint \"\(address.prefix(200))\", which is not an https address")
        }
        return document
    }

    /// The keys with an id. Keys are read again if the id is unknown, but not more often than every ten seconds: anybody can write an
    /// unknown id into a token.
    func keys(withID id: String?) async throws(HubError) -> [Key] {
        let (known, time) = state.withLock { ($0.keys, $0.keysTime) }
        let age = time.map { $0.duration(to: .now) }
        if let known, let age, age < Self.keyLifetime {
            let found = Self.keys(known, withID: id)
            if !found.isEmpty { return found }
        }
        if let age, age < Self.shortestInterval { return [] }
        let address = try await discovery().keys
        let read = try await keyReadings.result(for: "") { () async throws(HubError) in
            self.state.withLock { $0.keysTime = .now }
            let keys = try Self.readKeys(try await self.document(at: address))
            self.state.withLock { $0.keys = keys }
            return keys
        }
        return Self.keys(read, withID: id)
    }

    private static func keys(_ keys: [Key], withID id: String?) -> [Key] {
        guard let id else { return keys.count == 1 ? keys : [] }
        return keys.filter { $0.jwk.keyIdentifier?.string == id }
    }

    private static func readKeys(_ data: Data) throws(HubError) -> [Key] {
        /// A key of a kind that the hub does not know is no error.
        struct Entry: Decodable {
            var key: Key?
            init(from decoder: any Decoder) throws { key = try? Key(from: decoder) }
        }
        struct Keys: Decodable { var keys: [Entry] }
        guard let read = try? JSONDecoder().decode(Keys.self, from: data) else {
            throw unavailable("has no readable keys")
        }
        return read.keys.compactMap(\.key).filter { $0.use == nil || $0.use == "sig" }
    }

    /// Sends a form to an endpoint as the client that the provider knows (RFC 6749, section 2.3.1).
    func post(_ form: [(String, String)], to address: String) async throws(HubError) -> OpenIDRequests.Answer {
        var form = form
        var authorization: Secret?
        if let secret = settings.clientSecret {
            let pair = "\(Console.encoded(settings.clientID)):\(Console.encoded(secret.text))"
            authorization = Secret("Basic \(Data(pair.utf8).base64EncodedString())")
        } else {
            form.append(("client_id", settings.clientID))
        }
        return try await Self.answer { [requests, form, authorization] in
            try await requests.post(form, to: address, authorization: authorization)
        }
    }

    /// Reads what is at an endpoint.
    ///
    /// - Parameter token: The access token of a person; nil for none.
    func get(_ address: String, token: Secret? = nil) async throws(HubError) -> OpenIDRequests.Answer {
        try await Self.answer { [requests] in
            try await requests.get(address, authorization: token.map { Secret("Bearer \($0.text)") })
        }
    }

    private func document(at address: String) async throws(HubError) -> Data {
        let answer = try await get(address)
        guard answer.status == 200 else { throw Self.unavailable("answered with the status \(answer.status)") }
        return answer.body
    }

    private static func answer(
        _ request: @Sendable () async throws -> OpenIDRequests.Answer
    ) async throws(HubError) -> OpenIDRequests.Answer {
        do {
            return try await request()
        } catch is NIOTooManyBytesError {
            throw unavailable("sent an answer that is too large")
        } catch PinnedClient.Refusal.privateNetwork {
            throw unavailable("states an address in a private network")
        } catch {
            throw unavailable("cannot be reached in time")
        }
    }

    static func unavailable(_ text: String) -> HubError {
        HubError(
            .unavailable,
            "The sign-in provider \(text); sign in with a token, or ask the operator of the hub to check --oidc-issuer."
        )
    }
}
