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
    /// - Parameter address: The hub's address; the assertion must be intended for it.
    func accessToken(
        forAssertion text: String,
        address: ServiceAccountAssertion.HubAddress
    ) async throws -> String {
        let assertion = try ServiceAccountAssertion(text)
        try assertion.check(now: now(), address: address)
        let keys: [Credential]
        if let id = assertion.header.kid {
            let credential = try await records.credential(id: id)
            keys = [credential].compactMap { $0 }.filter { $0.isKey(of: assertion.claims.iss, at: now()) }
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
        credentialUses.note(CredentialState(key), at: now())
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
        let keys = try await records.credentials(of: .project(String(project))).filter {
            $0.isKey(of: account, at: now())
        }
        return keys.suffix(Self.maximumKeysTried)
    }

    /// The caller with a bearer token, in the only project of the token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
    package func caller(bearerToken token: String) async throws -> Caller {
        try await caller(try await identity(bearerToken: token), in: nil)
    }

    /// The identity with a bearer token.
    ///
    /// - Throws: `.unauthenticated` unless the token is valid now.
    func identity(bearerToken token: String) async throws -> Identity {
        if token.hasPrefix(Self.commandTokenPrefix) { return try await identity(commandToken: token) }
        let end: Timestamp?
        let found: Credential?
        if token.hasPrefix(Self.accessTokenPrefix) {
            let body = token.dropFirst(Self.accessTokenPrefix.count)
            guard let content = signer.value(of: body, for: "access token", as: AccessToken.self),
                content.expires > now().milliseconds
            else { throw HubError.bearerToken }
            end = Timestamp(milliseconds: content.expires)
            found = try await records.credential(id: content.key)
        } else {
            end = nil
            found = try await records.credential(secretHash: Credential.hash(ofSecret: token))
            guard found?.kind == .token else { throw HubError.bearerToken }
        }
        guard let found, var identity = try await identity(of: found) else { throw HubError.bearerToken }
        credentialUses.note(CredentialState(found), at: now())
        identity.bound.expiry = [identity.bound.expiry, end].compactMap { $0 }.min()
        return identity
    }

    /// The identity with a token or a key file; nil if it is not valid now.
    func identity(of credential: Credential) async throws -> Identity? {
        guard [.token, .serviceAccount].contains(credential.kind), credential.isValid(at: now()) else { return nil }
        var identity: Identity
        if let address = credential.person {
            guard let person = try await self.identity(ofPerson: address) else { return nil }
            identity = person.limited(to: credential.role, in: credential.project)
            guard identity.hasRole else { return nil }
            identity.actor = "\(address) with token \(credential.name)"
        } else {
            identity = Identity(actor: "\(credential.id) (\(credential.name))")
            if let project = credential.project {
                identity.projectRoles = [project: credential.role]
            } else {
                identity.hubRole = credential.role
            }
        }
        identity.bound = PowerBound(credential: credential.id, expiry: credential.expiry)
        return identity
    }

    /// The project of an API key; nil if the key is not valid.
    func project(apiKey: String) async throws -> Project? {
        guard apiKey.utf8.count <= 128 else { return nil }
        let credential = try await records.credential(secretHash: Credential.hash(ofSecret: apiKey))
        guard let credential, credential.kind == .apiKey, credential.isValid(at: now()),
            let project = credential.project
        else { return nil }
        credentialUses.note(CredentialState(credential), at: now())
        return try await records.project(project)
    }

    /// Accepts an API key that a look-up found.
    ///
    /// - Throws: `.permissionDenied` if the key has expired.
    func accept(_ key: CredentialState) throws(HubError) {
        let time = now()
        guard key.expiry.map({ time < $0 }) ?? true else { throw HubError.apiKey }
        credentialUses.note(key, at: time)
    }

    private static let accountSuffix = ".iam.gserviceaccount.com"

    /// The name of a service account in the format that SDKs expect.
    static func email(of credential: Credential) -> String {
        "\(credential.name)@\(credential.project ?? "")\(accountSuffix)"
    }
}

extension Credential {
    /// Whether the credential is a valid key of a service account.
    fileprivate func isKey(of account: String, at time: Timestamp) -> Bool {
        kind == .serviceAccount && isValid(at: time) && Hub.email(of: self) == account
    }
}

extension HubError {
    static let bearerToken = HubError(
        .unauthenticated,
        "The bearer token is unknown, expired or revoked; sign in again, or create a new one with `sightline hub token create`."
    ).forWrongCredential
}
