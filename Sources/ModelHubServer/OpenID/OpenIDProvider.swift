import AsyncHTTPClient
import Foundation
import HTTPServing
import JWTKit
import ModelHubProtocol
import NIOCore

/// An OpenID Connect provider as the hub knows it: its endpoints (OpenID Connect Discovery 1.0) and its keys (RFC 7517).
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

    /// A key of the provider, and its permitted uses.
    struct Key: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey { case use }

        var use: String?
        var jwk: JWK

        init(from decoder: any Decoder) throws {
            use = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .use)
            jwk = try JWK(from: decoder)
        }
    }

    let settings: OpenIDSettings
    private let requests: OpenIDRequests
    private let discoveries: OpenIDReading<Discovery>
    private let keyReadings: OpenIDReading<[Key]>

    /// The time after which the discovery document is read again.
    private static let discoveryLifetime = Duration.seconds(3600)
    /// The time after which keys are read again, so that a key that the provider withdrew does not stay.
    private static let keyLifetime = Duration.seconds(3600)

    init(_ settings: OpenIDSettings) {
        let requests = OpenIDRequests(issuerHost: URL(string: settings.issuer)?.host(percentEncoded: false) ?? "")
        let discoveries = OpenIDReading(lifetime: Self.discoveryLifetime, shortestInterval: settings.shortestInterval) {
            () async throws(HubError) in try await Self.readDiscovery(settings, requests)
        }
        keyReadings = OpenIDReading(lifetime: Self.keyLifetime, shortestInterval: settings.shortestInterval) {
            () async throws(HubError) in
            let address = try await discoveries.document().keys
            return try Self.readKeys(try await Self.document(at: address, requests))
        }
        (self.settings, self.requests, self.discoveries) = (settings, requests, discoveries)
    }

    /// The provider's endpoints.
    ///
    /// - Throws: `.unavailable` if the provider does not answer, or answers for another issuer.
    func discovery() async throws(HubError) -> Discovery { try await discoveries.document() }

    private static func readDiscovery(
        _ settings: OpenIDSettings,
        _ requests: OpenIDRequests
    ) async throws(HubError) -> Discovery {
        let issuer = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let data = try await document(at: "\(issuer)/.well-known/openid-configuration", requests)
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

    /// Reads the keys unless they are known, so that a code that counts only once is not spent on a token that cannot be checked.
    ///
    /// - Throws: `.unavailable` if the provider does not answer.
    func prepareKeys() async throws(HubError) { _ = try await keyReadings.document() }

    /// The keys with an id. Keys are read again if the id is unknown, but not more often than every ten seconds: anybody can write an
    /// unknown id into a token.
    ///
    /// - Returns: No key only if the provider does not publish such a key now.
    /// - Throws: `.unavailable` if the keys cannot be read, or were read before the token arrived and cannot be read again yet.
    func keys(withID id: String?) async throws(HubError) -> [Key] {
        let arrival = ContinuousClock.now
        let known = keyReadings.current
        if let known {
            let found = Self.keys(known.document, withID: id)
            if !found.isEmpty { return found }
        }
        let read = try await keyReadings.newer(than: known)
        let found = Self.keys(read.document, withID: id)
        guard !found.isEmpty || read.time >= arrival else {
            throw Self.unavailable("signed with a key that it had not published a moment ago")
        }
        return found
    }

    private static func keys(_ keys: [Key], withID id: String?) -> [Key] {
        guard let id else { return keys.count == 1 ? keys : [] }
        return keys.filter { $0.jwk.keyIdentifier?.string == id }
    }

    private static func readKeys(_ data: Data) throws(HubError) -> [Key] {
        /// A key of a kind that the hub does not know is not an error.
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

    /// Reads the document at an endpoint.
    ///
    /// - Parameter token: The access token of a person; nil for none.
    func get(_ address: String, token: Secret? = nil) async throws(HubError) -> OpenIDRequests.Answer {
        try await Self.answer { [requests] in
            try await requests.get(address, authorization: token.map { Secret("Bearer \($0.text)") })
        }
    }

    private static func document(
        at address: String,
        _ requests: OpenIDRequests
    ) async throws(HubError) -> Data {
        let answer = try await Self.answer { try await requests.get(address) }
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
        } catch PinnedClient.Refusal.unknownHost {
            throw unavailable("has a host whose name is unknown")
        } catch is NameLookUps.Failure {
            throw unavailable("has a host whose name server does not answer in time")
        } catch is Patience.End {
            throw unavailable("does not answer in time")
        } catch {
            var failure = unavailable(
                "cannot be reached (\((error as? HTTPClientError)?.shortDescription ?? "the connection failed"))"
            )
            failure.cause = "\(error)"
            throw failure
        }
    }

    /// - Parameter retryAfter: The time after which the provider may be asked again.
    static func unavailable(_ text: String, retryAfter: Duration = .seconds(10)) -> HubError {
        HubError(
            .unavailable,
            "The sign-in provider \(text); try again in a moment, sign in with a token, or ask the operator of the hub to check --oidc-issuer.",
            retryAfter: retryAfter
        )
    }
}
