import Foundation

/// The contents of a bearer token from the token endpoint.
private struct AccessToken: Codable, Sendable {
    /// The id of the service account's key.
    var key: String
    /// The end of its validity, in milliseconds since 1970.
    var expires: Int64
}

extension Hub {
    /// The validity of a bearer token from the token endpoint.
    static let accessTokenLifetime = Duration.seconds(3600)

    private static let accessTokenPrefix = "sat."

    /// Exchanges an assertion signed with a key file for a bearer token.
    ///
    /// - Parameter address: The hub's address if it is known; the assertion must be intended for it.
    func accessToken(forAssertion text: String, address: String?) async throws -> String {
        let assertion = try ServiceAccountAssertion(text)
        try assertion.check(now: now(), address: address)
        let keys: [Credential]
        if let id = assertion.header.kid {
            let credential = try await metadata.credential(id: id)
            keys = [credential].compactMap { $0 }.filter { $0.isKey(of: assertion.claims.iss) }
        } else {
            keys = try await serviceAccountKeys(of: assertion.claims.iss)
        }
        guard !keys.isEmpty else {
            throw HubError(
                .unauthenticated,
                "The service account is unknown, or its key was revoked; use a key file that this hub issued."
            )
        }
        guard let key = keys.first(where: { $0.publicKey.map(assertion.isSigned) == true }) else {
            throw HubError(
                .unauthenticated,
                "The signature of the assertion is wrong; use a key file that this hub issued."
            )
        }
        let expiry = now().advanced(by: Self.accessTokenLifetime)
        let token = AccessToken(key: key.id, expires: expiry.milliseconds)
        return Self.accessTokenPrefix + (try signer.token(token, for: "access token"))
    }

    /// The number of keys of a service account that the hub tries if a signature does not name its key.
    private static let maximumKeysTried = 16

    /// The newest valid keys of a service account. Each key file with the same name adds a key.
    func serviceAccountKeys(of account: String) async throws -> [Credential] {
        guard account.hasSuffix(Self.accountSuffix), let at = account.firstIndex(of: "@") else { return [] }
        let project = account[account.index(after: at)...].dropLast(Self.accountSuffix.count)
        let keys = try await metadata.credentials(of: String(project)).filter { $0.isKey(of: account) }
        return keys.suffix(Self.maximumKeysTried)
    }

    /// The caller with a bearer token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
    public func caller(bearerToken token: String) async throws -> Caller {
        let credential = try await credential(bearerToken: token)
        guard let project = try await metadata.project(credential.project) else { throw HubError.bearerToken }
        return Caller(project: project, role: credential.role, actor: "\(credential.id) (\(credential.name))")
    }

    /// The credential behind a token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
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

    /// The project of an API key; nil if the key is not valid.
    func project(apiKey: String) async throws -> Project? {
        guard apiKey.utf8.count <= 128 else { return nil }
        let credential = try await metadata.credential(secretHash: Credential.hash(ofSecret: apiKey))
        guard let credential, credential.kind == .apiKey, credential.revokeTime == nil else { return nil }
        return try await metadata.project(credential.project)
    }

    private static let accountSuffix = ".iam.gserviceaccount.com"

    /// The name of a service account in the format that SDKs expect.
    static func email(of credential: Credential) -> String {
        "\(credential.name)@\(credential.project)\(accountSuffix)"
    }
}

extension Credential {
    /// Whether the credential is a valid key of a service account.
    fileprivate func isKey(of account: String) -> Bool {
        kind == .serviceAccount && revokeTime == nil && Hub.email(of: self) == account
    }
}

extension HubError {
    fileprivate static let bearerToken = HubError(
        .unauthenticated,
        "The bearer token is unknown, expired or revoked; sign in again, or create a new one with `sightline hub key create`."
    ).forWrongCredential
}
