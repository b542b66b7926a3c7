import Foundation

/// What a bearer token from the token endpoint says.
private struct AccessToken: Codable, Sendable {
    /// The id of the service account's key.
    var key: String
    /// Its end, in milliseconds since 1970.
    var expires: Int64
}

extension Hub {
    /// How long a bearer token from the token endpoint is valid.
    static let accessTokenLifetime = Duration.seconds(3600)

    private static let accessTokenPrefix = "sat."

    /// Exchanges an assertion that a key file signed for a bearer token.
    func accessToken(forAssertion text: String) async throws -> String {
        let assertion = try ServiceAccountAssertion(text)
        let unknown = HubError(
            .unauthenticated,
            "The service account is not known here, or its key was revoked; use a key file that this hub issued."
        )
        guard let id = assertion.header.kid, let credential = try await metadata.credential(id: id),
            credential.revokeTime == nil, credential.kind == .serviceAccount, let publicKey = credential.publicKey,
            assertion.claims.iss == Self.email(of: credential)
        else { throw unknown }
        try assertion.verify(publicKey: publicKey, now: now())
        let expiry = now().advanced(by: Self.accessTokenLifetime)
        let token = AccessToken(key: id, expires: expiry.milliseconds)
        return Self.accessTokenPrefix + (try signer.token(token, for: "access token"))
    }

    /// The one who bears a token.
    ///
    /// - Throws: `.unauthenticated` unless it is valid now.
    public func caller(bearerToken token: String) async throws -> Caller {
        let credential = try await credential(bearerToken: token)
        guard let project = try await metadata.project(credential.project) else { throw HubError.bearerToken }
        return Caller(project: project, role: credential.role, actor: "\(credential.id) (\(credential.name))")
    }

    /// The credential that a token is or came from.
    ///
    /// - Throws: `.unauthenticated` unless it is valid now.
    func credential(bearerToken token: String) async throws -> Credential {
        let credential: Credential?
        if token.hasPrefix(Self.accessTokenPrefix) {
            let body = token.dropFirst(Self.accessTokenPrefix.count)
            guard let content = signer.value(of: body, for: "access token", as: AccessToken.self),
                content.expires > now().milliseconds
            else { throw HubError.bearerToken }
            credential = try await metadata.credential(id: content.key)
        } else {
            credential = try await metadata.credential(secretHash: Credential.hash(ofSecret: token))
            guard credential?.kind == .token else { throw HubError.bearerToken }
        }
        guard let credential, credential.revokeTime == nil else { throw HubError.bearerToken }
        return credential
    }

    /// The project whose API key it is; nil if it is none that is valid.
    func project(apiKey: String) async throws -> Project? {
        guard apiKey.utf8.count <= 128 else { return nil }
        let credential = try await metadata.credential(secretHash: Credential.hash(ofSecret: apiKey))
        guard let credential, credential.kind == .apiKey, credential.revokeTime == nil else { return nil }
        return try await metadata.project(credential.project)
    }

    /// The name of a service account, in the form that SDKs expect.
    static func email(of credential: Credential) -> String {
        "\(credential.name)@\(credential.project).iam.gserviceaccount.com"
    }
}

extension HubError {
    fileprivate static let bearerToken = HubError(
        .unauthenticated,
        "The bearer token is unknown, expired or revoked; sign in again, or make a new one with `sightline hub key create`."
    )
}
