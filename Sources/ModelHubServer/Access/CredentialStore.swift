/// The store for credentials and the hub's own key.
public protocol CredentialStore: Sendable {
    /// The key with which this hub signs tokens and addresses; created once.
    func signingKey() async throws -> [UInt8]

    /// Adds a credential. Throws `.alreadyExists` if another credential has its secret, `.resourceExhausted` if its owner
    /// has the maximum number, and `.unauthenticated` if its parent was revoked meanwhile.
    func insert(_ credential: Credential, audit: AuditEntry) async throws
    /// The credential with the given id, revoked or not.
    func credential(id: String) async throws -> Credential?
    /// The credential whose secret has the given SHA-256, revoked or not.
    func credential(secretHash: [UInt8]) async throws -> Credential?
    /// The credentials of an owner, oldest first.
    func credentials(of owner: Credential.Owner) async throws -> [Credential]
    /// Revokes a credential and all that it created, directly or not; false if the owner has no credential with this
    /// id.
    func revoke(
        credential id: String,
        of owner: Credential.Owner,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool
    /// Records uses of credentials, by their ids. A recorded use that is less than an hour older stays.
    func noteUses(of credentials: [String: Timestamp]) async throws
    /// Removes tokens and key files that ended before a time.
    func forgetCredentials(endedBefore time: Timestamp) async throws
}
