import Crypto
import Foundation

/// The rights of a credential. Each role includes the rights of the roles before it.
public enum Role: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// See models and download them.
    case read
    /// Upload, create, change, publish and roll back models.
    case publish
    /// Delete models, and read the audit log.
    case admin

    private var rank: Int {
        switch self {
        case .read: 0
        case .publish: 1
        case .admin: 2
        }
    }

    /// Roles with fewer rights come first.
    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
}

/// An API key, a token or a service account. The hub stores only hashes and public keys; the secret is shown once, when
/// it is created.
public struct Credential: Sendable, Hashable {
    /// The kind of a credential.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A key that apps contain. It is not secret, and it allows downloads of published models.
        case apiKey = "api-key"
        /// A bearer token for scripts.
        case token
        /// A key file for the Firebase Admin SDKs, which use it to obtain bearer tokens that are valid for an hour.
        case serviceAccount = "service-account"
    }

    /// The public id of the credential.
    public var id: String
    /// The project of the credential.
    public var project: String
    /// The kind of the credential.
    public var kind: Kind
    /// The rights of the credential.
    public var role: Role
    /// A name for people.
    public var name: String
    /// The SHA-256 of an API key or token. Both have at least 190 random bits, like Google's keys, so that a plain hash
    /// cannot be reversed.
    public var secretHash: [UInt8]?
    /// A service account's RSA public key in PEM.
    public var publicKey: String?
    /// The time of its creation.
    public var createTime: Timestamp
    /// The time of its revocation, if any.
    public var revokeTime: Timestamp?

    /// Creates a credential.
    public init(
        id: String,
        project: String,
        kind: Kind,
        role: Role,
        name: String,
        secretHash: [UInt8]? = nil,
        publicKey: String? = nil,
        createTime: Timestamp,
        revokeTime: Timestamp? = nil
    ) {
        self.id = id
        self.project = project
        self.kind = kind
        self.role = role
        self.name = name
        self.secretHash = secretHash
        self.publicKey = publicKey
        self.createTime = createTime
        self.revokeTime = revokeTime
    }

    /// The stored hash of a secret.
    static func hash(ofSecret secret: String) -> [UInt8] { Array(SHA256.hash(data: Data(secret.utf8))) }
}
