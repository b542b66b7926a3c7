/// The store for credentials and the hub's own key.
public protocol CredentialStore: Sendable {
    /// The key with which this hub signs tokens and addresses; created once.
    func signingKey() async throws -> [UInt8]

    /// Adds a credential. Throws `.alreadyExists` if another credential has its secret.
    func insert(_ credential: Credential, audit: AuditEntry) async throws
    /// The credential with the given id, revoked or not.
    func credential(id: String) async throws -> Credential?
    /// The credential whose secret has the given SHA-256, revoked or not.
    func credential(secretHash: [UInt8]) async throws -> Credential?
    /// The credentials of a project, oldest first.
    func credentials(of project: String) async throws -> [Credential]
    /// Revokes a credential; false if the project has no credential with this id.
    func revoke(credential id: String, of project: String, at time: Timestamp, audit: AuditEntry) async throws -> Bool
}
