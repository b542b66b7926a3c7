import CryptoExtras
import Foundation
import ModelHubProtocol

/// A request for a new credential.
package struct CredentialPlan: Sendable {
    /// The kind of the credential.
    package var kind: Credential.Kind
    /// The rights of the credential. API keys have no role but their own.
    package var role: Role
    /// A name of 1 to 30 lower-case letters, digits and hyphens.
    package var name: String
    /// The owner of the credential.
    package var owner: Credential.Owner
    /// The only project in which a person's token is valid, by its id; nil for all projects of the person.
    package var project: String?
    /// The time until the credential expires; zero for no end, nil for the usual time of its kind.
    package var lifetime: Duration?
    /// The hub's address, for a key file.
    package var address = ""
    /// An existing API key to adopt; nil for a new secret.
    package var existingKey: String?
    /// The public part of a signing key whose private part is kept elsewhere, in base64url; nil for a new key that the hub keeps.
    package var publicKey: String?

    /// Creates a request.
    package init(_ kind: Credential.Kind, role: Role, name: String, owner: Credential.Owner) {
        self.kind = kind
        self.role = role
        self.name = name
        self.owner = owner
    }

    /// The usual lifetime of a token. API keys and key files have no end, because apps and pipelines contain them.
    package static let tokenLifetime = Duration.seconds(90 * 24 * 3600)
    /// The lifetimes that a plan can name.
    static let lifetimes = Duration.seconds(60)...Duration.seconds(3650 * 24 * 3600)
}

/// A new credential with its secret, which is shown only once.
package struct IssuedCredential: Sendable {
    /// The part that the hub stores.
    package var credential: Credential
    /// The API key or token; nil for a service account.
    package var secret: String?
    /// The key file of a service account as JSON.
    package var keyFile: String?
}

extension Hub {
    /// Creates a credential.
    ///
    /// The credential has at most the rights of the caller. If a token creates it, or a person with a role that a token
    /// granted, it ends with the token at the latest, and a revocation of the token revokes it too.
    ///
    /// - Throws: `.permissionDenied` if the caller may not grant this; `.invalidArgument` for a wrong name or lifetime;
    ///   `.alreadyExists` if the hub already has an adopted key.
    package func createCredential(_ plan: CredentialPlan, by identity: Identity) async throws -> IssuedCredential {
        try checkAuthority(of: identity, for: plan)
        let bound =
            switch plan.owner {
            case .project(let project): try identity.bound(ofRole: max(plan.role, .owner), in: project)
            case .hub: try identity.bound(ofRole: .administrator, in: nil)
            // The token is valid for no more than the person's present roles.
            case .person: identity.bound
            }
        var issued = IssuedCredential(credential: try newCredential(plan, within: bound))
        switch plan.kind {
        case .apiKey:
            // Firebase's mobile SDKs reject keys without 39 characters or without this beginning.
            let secret =
                try plan.existingKey.map { try Self.checked(apiKey: $0) }
                ?? ("AIzaSy" + Base64URL.text(RandomBytes.make(25)).prefix(33))
            issued.credential.secretHash = Credential.hash(ofSecret: secret)
            issued.secret = plan.existingKey == nil ? secret : nil
        case .token:
            let secret = "slt_" + Base64URL.text(RandomBytes.make(32))
            issued.credential.secretHash = Credential.hash(ofSecret: secret)
            issued.secret = secret
        case .serviceAccount:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            issued.credential.publicKey = key.publicKey.pemRepresentation
            issued.keyFile = try Self.keyFile(issued.credential, key.pkcs8PEMRepresentation, address: plan.address)
        case .signing:
            let publicKey = try await publicPart(of: plan)
            issued.credential.id = SigningKeyID.of(publicKey)
            issued.credential.publicKey = Base64URL.text(publicKey)
        }
        let credential = issued.credential
        let end = credential.expiry.map { ", until \($0)" } ?? ""
        let detail = "\(credential.kind.rawValue) \(credential.name), role \(credential.role.rawValue)\(end)"
        do {
            try await records.insert(credential, audit: audit(identity, "key.create", credential, detail))
        } catch {
            if credential.kind == .signing, plan.publicKey == nil { signingKeys.remove(credential.id) }
            throw error
        }
        if credential.kind == .signing, let id = credential.project, let project = try await records.project(id) {
            try await signModels(of: project, by: identity.actor)
        }
        return issued
    }

    /// The public part of a signing key. A new key's private part is kept before anything else.
    private func publicPart(of plan: CredentialPlan) async throws -> Data {
        guard let text = plan.publicKey else {
            let key = SigningKey()
            try signingKeys.add(key)
            return key.publicKey
        }
        guard let publicKey = SigningKeyID.publicKey(text) else {
            throw HubError(
                .invalidArgument,
                "publicKey is not the public part of an Ed25519 key; give its 32 bytes in base64url, 43 characters."
            )
        }
        guard try await records.credential(id: SigningKeyID.of(publicKey)) == nil else {
            throw HubError(
                .alreadyExists,
                "The hub already has this signing key, valid or revoked; a key belongs to one project, so make another."
            )
        }
        return publicKey
    }

    /// - Throws: `.permissionDenied` unless the caller may grant the rights of a plan.
    private func checkAuthority(of identity: Identity, for plan: CredentialPlan) throws(HubError) {
        switch plan.owner {
        case .project(let project):
            try identity.require(.owner, in: project)
            guard plan.role < .administrator, identity.role(in: project).map({ plan.role <= $0 }) == true else {
                throw .cannotGrant(plan.role)
            }
        case .person(let address):
            guard identity.person == address else {
                throw HubError(
                    .permissionDenied,
                    "Only the person can create a token of \(address); sign in as that person."
                )
            }
            let isWithin = identity.enclosure == nil || identity.enclosure == plan.project
            let highest = plan.project.map { identity.role(in: $0) } ?? identity.highestRole
            guard isWithin, plan.role <= identity.ceiling, let highest, plan.role <= highest else {
                throw .cannotGrant(plan.role)
            }
        case .hub:
            try identity.require(.administrator)
        }
        let isOfProject = if case .project = plan.owner { true } else { false }
        guard isOfProject || plan.kind == .token else {
            throw HubError(
                .invalidArgument,
                "API keys, key files and signing keys belong to a project; name a project."
            )
        }
    }

    private func newCredential(_ plan: CredentialPlan, within bound: PowerBound) throws(HubError) -> Credential {
        let name = plan.name
        guard (1...30).contains(name.utf8.count),
            name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else {
            throw HubError(
                .invalidArgument,
                "\"\(name)\" cannot be the name of a key; use 1 to 30 lower-case letters, digits and hyphens."
            )
        }
        var credential = Credential(
            id: RandomBytes.make(20).hexadecimalText,
            project: plan.project,
            kind: plan.kind,
            role: [.apiKey, .signing].contains(plan.kind) ? .viewer : plan.role,
            name: name,
            parent: bound.credential,
            createTime: now(),
            expiry: try expiry(for: plan, within: bound)
        )
        switch plan.owner {
        case .project(let project): credential.project = project
        case .person(let address): credential.person = address
        case .hub: break
        }
        return credential
    }

    /// The end of a new credential: no later than that of its creator.
    private func expiry(for plan: CredentialPlan, within bound: PowerBound) throws(HubError) -> Timestamp? {
        if let lifetime = plan.lifetime, lifetime != .zero, !CredentialPlan.lifetimes.contains(lifetime) {
            throw HubError(
                .invalidArgument,
                "A key or token can be valid for one minute to ten years, or forever (0); choose such a time."
            )
        }
        let lifetime = plan.lifetime ?? (plan.kind == .token ? CredentialPlan.tokenLifetime : .zero)
        let wanted = lifetime == .zero ? nil : now().advanced(by: lifetime)
        guard let limit = bound.expiry else { return wanted }
        if plan.lifetime != nil, wanted.map({ $0 > limit }) ?? true {
            throw HubError(
                .permissionDenied,
                "Your token, or the token that granted your role, ends at \(limit), and what you create with it cannot be valid longer; choose "
                    + "a shorter time, or let an owner with a lasting role create it in the console."
            )
        }
        return wanted.map { min($0, limit) } ?? limit
    }

    /// An API key of Google.
    ///
    /// - Throws: `.invalidArgument` unless the text has the format of such keys.
    private static func checked(apiKey key: String) throws(HubError) -> String {
        let isSafe = key.utf8.allSatisfy {
            (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95
        }
        guard key.utf8.count == 39, key.hasPrefix("AIza"), isSafe else {
            throw HubError(
                .invalidArgument,
                "This is not an API key of Google: it has \(key.utf8.count) characters. A key has 39 characters, begins with AIza, and consists of "
                    + "letters, digits, hyphens and underscores; look in google-services.json or GoogleService-Info.plist."
            )
        }
        return key
    }

    /// The file for Firebase's Admin SDKs. Its `token_uri` is the address of this hub.
    private static func keyFile(_ credential: Credential, _ privateKey: String, address: String) throws -> String {
        let fields = [
            "type": "service_account", "project_id": credential.project, "private_key_id": credential.id,
            "private_key": privateKey, "client_email": email(of: credential), "client_id": credential.id,
            "auth_uri": "\(address)/o/oauth2/auth", "token_uri": "\(address)/token",
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(fields), as: UTF8.self) + "\n"
    }

    /// The credentials of an owner, oldest first.
    ///
    /// - Throws: `.permissionDenied` unless the caller manages them.
    package func credentials(of owner: Credential.Owner, by identity: Identity) async throws -> [Credential] {
        try checkManagement(of: owner, by: identity)
        return try await records.credentials(of: owner)
    }

    /// Revokes a credential and all that it created, with immediate effect.
    ///
    /// - Parameters:
    ///   - id: The id of the credential, or its beginning.
    ///   - owner: The owner of the credential.
    ///   - identity: The caller.
    @discardableResult
    package func revokeCredential(
        _ id: String,
        of owner: Credential.Owner,
        by identity: Identity
    ) async throws -> Credential {
        let candidates = try await credentials(of: owner, by: identity).filter { $0.id.hasPrefix(id) }
        guard var credential = candidates.first, candidates.count == 1, id.utf8.count >= 4 else {
            let place = if case .project(let project) = owner { "The project \"\(project)\"" } else { "The hub" }
            throw HubError(
                .notFound,
                "\(place) has \(candidates.isEmpty ? "no key" : "several keys") \"\(id.prefix(64))\"; `sightline hub key list` shows their ids."
            )
        }
        guard credential.role <= identity.ceiling else { throw HubError.outranked }
        let time = now()
        let entry = audit(identity, "key.revoke", credential, credential.name)
        _ = try await records.revoke(credential: credential.id, of: owner, at: time, audit: entry)
        credential.revokeTime = credential.revokeTime ?? time
        if credential.kind == .signing, let id = credential.project, let project = try await records.project(id) {
            signingKeys.remove(credential.id)
            // The next key signs at once what this one signed.
            try await signModels(of: project, by: identity.actor)
        }
        return credential
    }

    /// Replaces the key with which hubs on these records sign addresses and tokens. Hubs that run keep the earlier one until they start
    /// again, this one too.
    package func replaceKey(by identity: Identity) async throws {
        try identity.require(.administrator)
        try await records.replaceSigningKey(audit: audit(identity, "key.replace", "keys"))
    }

    private func checkManagement(of owner: Credential.Owner, by identity: Identity) throws(HubError) {
        switch owner {
        case .project(let project): try identity.require(.owner, in: project)
        case .person(let address) where identity.person == address: break
        case .person, .hub: try identity.require(.administrator)
        }
    }

    private func audit(_ identity: Identity, _ action: String, _ credential: Credential, _ detail: String) -> AuditEntry
    {
        var entry = audit(identity, action, "keys/\(credential.id)", detail)
        entry.project = credential.project ?? AuditEntry.wholeHub
        return entry
    }

    /// The reason why this hub cannot validate models; nil if it can.
    package func readinessProblem() async -> String? { await validator.problem() }
}

extension HubError {
    static func cannotGrant(_ role: Role) -> HubError {
        HubError(
            .permissionDenied,
            "The role \(role.rawValue) is above your own here, or beyond the project of your token; grant a lower role, or ask an owner."
        )
    }

    static let outranked = HubError(
        .permissionDenied,
        "This concerns a role above your own; ask a person with that role."
    )
}
