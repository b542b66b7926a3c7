/// The store for people and their roles.
public protocol PersonStore: Sendable {
    /// The person with an address and the roles that are valid at a time; nil if no role is valid.
    func person(_ address: String, at time: Timestamp) async throws -> Person?
    /// The people with a role in a project that is valid at a time, with only that role; all people with all their roles
    /// if the project is nil. Sorted by address, beginning after an address.
    func people(
        in project: String?,
        after address: String,
        limit: Int,
        at time: Timestamp
    ) async throws -> [Person]
    /// The people with a role in the whole hub that is valid at a time, with all their roles, by address.
    func administrators(at time: Timestamp) async throws -> [Person]
    /// Gives a person a role in place of the role in the same project, and adds the person if the address is unknown.
    ///
    /// Throws `.resourceExhausted` if there are too many people, `.failedPrecondition` if the project or the hub would
    /// lose its last lasting owner or administrator, and `.unauthenticated` if the credential behind the grant was
    /// revoked meanwhile.
    func grant(_ grant: Person.Grant, to address: String, audit: AuditEntry) async throws
    /// Takes away a person's role in a project or in the hub, and removes a person without roles, together with the
    /// person's tokens and sessions. False if the person has no such role.
    ///
    /// Throws `.failedPrecondition` if the project or the hub would lose its last lasting owner or administrator.
    func removeGrant(of address: String, in project: String?, audit: AuditEntry) async throws -> Bool
    /// Removes roles that ended before a time, and people without roles.
    func forgetPeople(endedBefore time: Timestamp) async throws
}
