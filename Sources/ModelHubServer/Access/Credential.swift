import Crypto
import Foundation

/// What the bearer of a credential may do; each role may do all that those before it may.
public enum Role: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// See models and download them.
    case read
    /// Upload, create, change, publish and roll back models.
    case publish
    /// Delete models, and see the audit log.
    case admin

    private var rank: Int {
        switch self {
        case .read: 0
        case .publish: 1
        case .admin: 2
        }
    }

    /// Lesser roles come first.
    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
}

/// What somebody shows to be let in. The hub keeps hashes and public keys only; the secret is shown once, when it is made.
public struct Credential: Sendable, Hashable {
    /// What it is.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Sits in apps, is no secret, and lets them download published models.
        case apiKey = "api-key"
        /// A bearer token for scripts.
        case token
        /// A key file for the Firebase Admin SDKs, which sign in with it and get a bearer token for an hour.
        case serviceAccount = "service-account"
    }

    /// Its public id.
    public var id: String
    /// The project that it belongs to.
    public var project: String
    /// What it is.
    public var kind: Kind
    /// What it may do.
    public var role: Role
    /// A name for people.
    public var name: String
    /// SHA-256 of an API key or token. Both are random with 190 bits or more, so that a plain hash cannot be reversed. The
    /// keys that Google makes are, too.
    public var secretHash: [UInt8]?
    /// A service account's RSA public key in PEM.
    public var publicKey: String?
    /// When it was made.
    public var createTime: Timestamp
    /// When it was revoked.
    public var revokeTime: Timestamp?

    /// The hash under which a secret is stored.
    static func hash(ofSecret secret: String) -> [UInt8] { Array(SHA256.hash(data: Data(secret.utf8))) }
}
