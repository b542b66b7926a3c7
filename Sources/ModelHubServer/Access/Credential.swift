import Crypto
import Foundation

/// An API key, a token, a service account or a signing key. The hub stores only hashes and public keys; the secret is shown once, when
/// it is created.
package struct Credential: Sendable, Hashable {
    /// The kind of a credential.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A key that apps contain. It is not secret, and it allows downloads of published models.
        case apiKey = "api-key"
        /// A bearer token for scripts and for people.
        case token
        /// A key file for the Firebase Admin SDKs, which use it to obtain bearer tokens that are valid for an hour.
        case serviceAccount = "service-account"
        /// A key that signs the manifests of a project's models. It gives access to nothing.
        case signing
    }

    /// The owner of credentials, by which they are listed and revoked.
    package enum Owner: Sendable, Hashable {
        /// A project, by its id.
        case project(String)
        /// A person, by the address. Such a token never has more rights than the person.
        case person(String)
        /// The hub. Such a token is valid in all projects.
        case hub
    }

    /// The public id of the credential.
    package var id: String
    /// The only project in which the credential is valid; nil for all projects of its owner.
    package var project: String?
    /// The address of the person to whom a token belongs; nil for automation.
    package var person: String?
    /// The kind of the credential.
    package var kind: Kind
    /// The rights of the credential.
    package var role: Role
    /// A name for people.
    package var name: String
    /// The SHA-256 of an API key or token. Both have at least 190 random bits, like Google's keys, so that a plain hash
    /// cannot be reversed.
    package var secretHash: [UInt8]?
    /// A service account's RSA public key in PEM; of a signing key the Ed25519 public part in base64url.
    package var publicKey: String?
    /// The id of the credential that created this one, and whose revocation revokes it; nil for a person's own act.
    package var parent: String?
    /// The time of its creation.
    package var createTime: Timestamp
    /// The end of its validity; nil for no end.
    package var expiry: Timestamp?
    /// The time of its last use, with an accuracy of an hour; nil if it was never used.
    package var useTime: Timestamp?
    /// The time of its revocation, if any.
    package var revokeTime: Timestamp?

    /// The owner of the credential.
    package var owner: Owner {
        if let person { return .person(person) }
        return project.map { .project($0) } ?? .hub
    }

    /// The maximum number of credentials of a project, revoked ones included.
    package static let maximumCountOfProject = 1000
    /// The maximum number of tokens of a person, and of the hub.
    package static let maximumCountOfPerson = 100

    /// Whether the credential is valid at a moment.
    package func isValid(at time: Timestamp) -> Bool { revokeTime == nil && expiry.map { time < $0 } ?? true }

    /// The stored hash of a secret.
    static func hash(ofSecret secret: String) -> [UInt8] { Array(SHA256.hash(data: Data(secret.utf8))) }
}
