import Foundation
import ModelHubProtocol

/// People and their roles.
extension Hub {
    /// The identity of a person; nil if the person has no valid role.
    func identity(ofPerson address: String) async throws -> Identity? {
        guard let person = try await records.person(address, at: now()) else { return nil }
        var identity = Identity(actor: person.address, person: person.address)
        for grant in person.grants {
            if let project = grant.project {
                identity.projectRoles[project] = grant.role
            } else {
                identity.hubRole = grant.role
            }
            identity.roleBounds[grant.project] = grant.bound
        }
        return identity
    }

    /// A page of the people with a role in a project, or of all people of the hub, by address.
    ///
    /// - Throws: `.permissionDenied` unless the caller manages them.
    package func people(
        in project: Project?,
        after address: String = "",
        limit: Int,
        by identity: Identity
    ) async throws -> [Person] {
        try checkManagement(of: project, by: identity)
        return try await records.people(in: project?.id, after: address, limit: limit, at: now())
    }

    /// Gives a person a role in place of the role in the same project.
    ///
    /// The person is added if the address is unknown. A role that a token grants ends with the token, and so does
    /// everything that its holder creates with it.
    ///
    /// - Parameters:
    ///   - role: A role up to the caller's own; `.administrator` for the whole hub.
    ///   - address: The address of the person.
    ///   - displayName: The name of the person on pages of the project; nil for the present name, or for the first part
    ///     of the address.
    ///   - project: The project; nil for the whole hub.
    ///   - identity: An owner of the project or an administrator of the hub.
    package func grant(
        _ role: Role,
        to address: String,
        displayName: String? = nil,
        in project: Project?,
        by identity: Identity
    ) async throws -> Person {
        try checkManagement(of: project, by: identity)
        let address = try Person.address(address)
        let displayName = try displayName.map { try Person.displayName($0) }
        let own = project.map { identity.role(in: $0.id) } ?? identity.hubRole
        guard (project == nil) == (role == .administrator), let own, role <= own else {
            throw HubError.cannotGrant(role)
        }
        let known = try await records.person(address, at: now())
        let earlier = known?.grant(in: project?.id)
        if let earlier, earlier.role > own { throw HubError.outranked }
        var grant = Person.Grant(
            project: project?.id,
            role: role,
            displayName: displayName ?? earlier?.displayName ?? String(address.prefix { $0 != "@" }),
            createTime: now()
        )
        // A lasting role stays lasting, unless a token would raise it.
        if !(earlier?.isLasting == true && earlier.map { role <= $0.role } == true) {
            grant.bound = try identity.bound(ofRole: max(role, .owner), in: project?.id)
        }
        let end = grant.bound.expiry.map { ", until \($0)" } ?? ""
        try await records.grant(
            grant,
            to: address,
            audit: audit(identity, "person.grant", address, in: project, "role \(role.rawValue)\(end)")
        )
        var person = known ?? Person(address: address)
        person.grants.removeAll { $0.project == project?.id }
        person.grants.append(grant)
        return person
    }

    /// Takes away a person's role in a project, or the role of an administrator of the hub. A person without roles is
    /// removed, together with the person's tokens and sessions.
    package func removeGrant(of address: String, in project: Project?, by identity: Identity) async throws {
        try checkManagement(of: project, by: identity)
        let address = try Person.address(address)
        let own = project.map { identity.role(in: $0.id) } ?? identity.hubRole
        guard let earlier = try await records.person(address, at: now())?.grant(in: project?.id) else {
            throw Self.noPerson(address, in: project)
        }
        guard let own, earlier.role <= own else { throw HubError.outranked }
        let entry = audit(identity, "person.remove", address, in: project, "role \(earlier.role.rawValue)")
        guard try await records.removeGrant(of: address, in: project?.id, audit: entry) else {
            throw Self.noPerson(address, in: project)
        }
    }

    /// Creates a link that signs a person in to the console once.
    ///
    /// An administrator's link opens all projects of the person. An owner's link opens only the owner's project. If a
    /// token creates the link, the session ends with the token.
    ///
    /// - Returns: The path and query to append to the hub's address.
    package func makeSignInLink(
        for address: String,
        in project: Project?,
        by identity: Identity
    ) async throws -> String {
        try checkManagement(of: project, by: identity)
        let address = try Person.address(address)
        guard let person = try await records.person(address, at: now()) else {
            throw Self.noPerson(address, in: project)
        }
        var role = Role.administrator
        if let project, !identity.isAdministrator {
            guard let grant = person.grant(in: project.id) else { throw Self.noPerson(address, in: project) }
            guard let own = identity.role(in: project.id), person.grant(in: nil) == nil, grant.role <= own else {
                throw HubError.outranked
            }
            role = own
        }
        let isLimited = !identity.isAdministrator
        let bound = try identity.bound(ofRole: isLimited ? .owner : .administrator, in: project?.id)
        return try await makeSignInLink(
            SignInLink(
                person: address,
                enclosure: isLimited ? project?.id : nil,
                role: role,
                credential: bound.credential,
                sessionExpiry: bound.expiry
            ),
            audit: audit(identity, "person.link", address, in: project)
        )
    }

    private func checkManagement(of project: Project?, by identity: Identity) throws(HubError) {
        if let project {
            try identity.require(.owner, in: project.id)
        } else {
            try identity.require(.administrator)
        }
    }

    private func audit(
        _ identity: Identity,
        _ action: String,
        _ address: String,
        in project: Project?,
        _ detail: String = ""
    ) -> AuditEntry {
        var entry = audit(identity, action, "people/\(address)", detail)
        if let project { entry.project = project.id }
        return entry
    }

    private static func noPerson(_ address: String, in project: Project?) -> HubError {
        let place = project.map { "The project \"\($0.id)\"" } ?? "The hub"
        return HubError(.notFound, "\(place) has no person \(address); `sightline hub person list` shows all people.")
    }
}

extension HubError {
    static let noPersonCalls = HubError(
        .failedPrecondition,
        "Only a person can do this; sign in with a link of `sightline hub person link`, or use a person's token."
    )
}
