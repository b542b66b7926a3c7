import CryptoExtras
import Foundation
import ModelHubProtocol

/// A new credential with its secret, which is shown only once.
public struct IssuedCredential: Sendable {
    /// The part that the hub stores.
    public var credential: Credential
    /// The API key or token; nil for a service account.
    public var secret: String?
    /// The key file of a service account as JSON.
    public var keyFile: String?
}

extension Hub {
    /// Creates a project.
    ///
    /// - Parameters:
    ///   - id: The name of the project in addresses and commands.
    ///   - number: The project's number at Firebase, which is part of the ids of its apps; nil for a new number.
    ///   - quota: The maximum number of bytes; nil for no limit.
    ///   - requiresInstallation: Whether an app must register before it may download models.
    public func createProject(
        _ id: String,
        number: Int64? = nil,
        quota: Int?,
        requiresInstallation: Bool
    ) async throws -> Project {
        let letters = id.utf8
        let isValid =
            (6...30).contains(letters.count) && letters.first.map { (97...122).contains($0) } == true
            && letters.last != 45
            && letters.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard isValid else {
            throw HubError(
                .invalidArgument,
                "\"\(id)\" cannot be the id of a project; use 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
            )
        }
        if let number, !(1..<1_000_000_000_000_000).contains(number) {
            throw HubError(
                .invalidArgument,
                "\(number) cannot be the number of a project; Firebase's console shows it in the settings of the project, up to 15 digits."
            )
        }
        let project = Project(
            id: id,
            number: number ?? 0,
            createTime: now(),
            quota: quota,
            requiresInstallation: requiresInstallation
        )
        return try await metadata.insert(project, audit: audit(.local(project), "project.create", "projects/\(id)"))
    }

    /// Creates a credential. A key file contains the address by which clients reach the hub.
    public func issue(
        _ kind: Credential.Kind,
        role: Role,
        name: String,
        for project: Project,
        address: String
    ) async throws -> IssuedCredential {
        var issued = IssuedCredential(
            credential: try newCredential(kind, role: kind == .apiKey ? .read : role, name: name, for: project)
        )
        switch kind {
        case .apiKey:
            // Firebase's mobile SDKs reject keys without 39 characters or without this beginning.
            issued.secret = "AIzaSy" + Base64URL.text(RandomBytes.make(25)).prefix(33)
        case .token:
            issued.secret = "slt_" + Base64URL.text(RandomBytes.make(32))
        case .serviceAccount:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            issued.credential.publicKey = key.publicKey.pemRepresentation
            issued.keyFile = try Self.keyFile(issued.credential, key.pkcs8PEMRepresentation, address: address)
        }
        issued.credential.secretHash = issued.secret.map { Credential.hash(ofSecret: $0) }
        try await insert(issued.credential, for: project)
        return issued
    }

    /// Adopts an existing API key, for example a key from Firebase that existing apps contain.
    ///
    /// - Throws: `.invalidArgument` unless it has the format of Google's API keys; `.alreadyExists` if the hub already
    ///   has the key.
    public func adopt(apiKey key: String, name: String, for project: Project) async throws -> Credential {
        var credential = try newCredential(.apiKey, role: .read, name: name, for: project)
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
        credential.secretHash = Credential.hash(ofSecret: key)
        try await insert(credential, for: project)
        return credential
    }

    private func newCredential(
        _ kind: Credential.Kind,
        role: Role,
        name: String,
        for project: Project
    ) throws(HubError) -> Credential {
        guard (1...30).contains(name.utf8.count),
            name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else {
            throw HubError(
                .invalidArgument,
                "\"\(name)\" cannot be the name of a key; use 1 to 30 lower-case letters, digits and hyphens."
            )
        }
        return Credential(
            id: RandomBytes.make(20).hexadecimalText,
            project: project.id,
            kind: kind,
            role: role,
            name: name,
            createTime: now()
        )
    }

    private func insert(_ credential: Credential, for project: Project) async throws {
        let entry = audit(
            .local(project),
            "key.create",
            "keys/\(credential.id)",
            "\(credential.kind.rawValue) \(credential.name), role \(credential.role.rawValue)"
        )
        try await metadata.insert(credential, audit: entry)
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

    /// Revokes a credential with immediate effect.
    public func revoke(_ id: String, of project: Project) async throws {
        let candidates = try await metadata.credentials(of: project.id).filter { $0.id.hasPrefix(id) }
        guard let credential = candidates.first, candidates.count == 1, id.utf8.count >= 4 else {
            throw HubError(
                .notFound,
                "The project \"\(project.id)\" has \(candidates.isEmpty ? "no key" : "several keys") \"\(id)\"; `sightline hub key list` "
                    + "shows their ids."
            )
        }
        let entry = audit(.local(project), "key.revoke", "keys/\(credential.id)", credential.name)
        _ = try await metadata.revoke(credential: credential.id, of: project.id, at: now(), audit: entry)
    }
}

extension Hub {
    /// All projects, by id.
    public func projects() async throws -> [Project] { try await metadata.projects() }

    /// The part of its quota that a project uses.
    public func usage(of project: Project) async throws -> ProjectUsage {
        try await metadata.usage(of: project.id)
    }

    /// Changes the quota of a project, and whether downloads require installation tokens.
    public func updateProject(_ project: Project) async throws {
        let detail =
            "quota \(project.quota.map { "\($0)" } ?? "none"), installations \(project.requiresInstallation ? "required" : "not required")"
        try await metadata.update(
            project,
            audit: audit(.local(project), "project.update", "projects/\(project.id)", detail)
        )
    }

    /// Deletes a project without models, its keys and uploads.
    public func deleteProject(_ project: Project) async throws {
        try await metadata.deleteProject(
            project.id,
            audit: audit(.local(project), "project.delete", "projects/\(project.id)")
        )
    }

    /// The credentials of a project, oldest first.
    public func credentials(of project: Project) async throws -> [Credential] {
        try await metadata.credentials(of: project.id)
    }

    /// The reason why this hub cannot validate models; nil if it can.
    public func readinessProblem() async -> String? { await validator.problem() }
}
