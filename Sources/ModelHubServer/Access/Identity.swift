/// A signed-in person or program, and its roles.
package struct Identity: Sendable, Hashable {
    /// The name in the audit log.
    package var actor: String
    /// The address of the person; nil for automation and for commands on the hub's machine.
    package var person: String?
    /// The token that identifies the caller, or that created the caller's sign-in link. It bounds all that the caller
    /// creates.
    package var bound: PowerBound
    /// The role in all projects of the hub, if any.
    package var hubRole: Role?
    /// Roles in single projects, by the ids of the projects.
    package var projectRoles: [String: Role]
    /// The bounds of roles that a token granted to the caller, by the ids of their projects; nil stands for the whole hub.
    var roleBounds: [String?: PowerBound] = [:]
    /// The highest role that the caller's token or session allows.
    private(set) var ceiling = Role.administrator
    /// The only project that the caller's token or session allows, by its id; nil for any project.
    private(set) var enclosure: String?

    /// Creates an identity.
    package init(
        actor: String,
        person: String? = nil,
        bound: PowerBound = .endless,
        hubRole: Role? = nil,
        projectRoles: [String: Role] = [:]
    ) {
        self.actor = actor
        self.person = person
        self.bound = bound
        self.hubRole = hubRole
        self.projectRoles = projectRoles
    }

    /// A command on the hub's machine, with all rights.
    package static let local = Identity(actor: "local", hubRole: .administrator)

    /// The role in a project, by its id; nil for no access.
    package func role(in project: String) -> Role? {
        guard let own = projectRoles[project] else { return hubRole }
        return hubRole.map { max($0, own) } ?? own
    }

    /// Whether the caller manages the whole hub.
    package var isAdministrator: Bool { hubRole == .administrator }

    /// Whether the caller has a role at all.
    var hasRole: Bool { highestRole != nil }

    /// The only project of an identity that is valid in a single project, by its id.
    var onlyProject: String? { hubRole == nil && projectRoles.count == 1 ? projectRoles.keys.first : nil }

    /// The identity with at most a role, and only in a project if it is not nil.
    func limited(to role: Role, in project: String?) -> Identity {
        var limited = self
        limited.ceiling = min(ceiling, role)
        limited.enclosure = enclosure ?? project
        if let project {
            let role = self.role(in: project).map { min($0, role) }
            limited.projectRoles = role.map { [project: $0] } ?? [:]
            limited.roleBounds = role.map { [project: roleBound(ofAtLeast: $0, in: project)] } ?? [:]
            limited.hubRole = nil
        } else {
            limited.hubRole = hubRole.map { min($0, role) }
            limited.projectRoles = projectRoles.mapValues { min($0, role) }
        }
        return limited
    }

    /// The bound of what the caller creates by its role in a project, or in the whole hub if the project is nil.
    ///
    /// A role that a token granted bounds what its holder creates with it as the token itself would.
    ///
    /// - Parameters:
    ///   - needed: The lowest role that allows the caller's act.
    ///   - project: The id of the project; nil for the whole hub.
    /// - Throws: `.permissionDenied` if a second token bounds the caller, because a record ends with one token only.
    func bound(ofRole needed: Role, in project: String?) throws(HubError) -> PowerBound {
        let role = roleBound(ofAtLeast: needed, in: project)
        guard bound.credential == nil || role.credential == nil || bound.credential == role.credential else {
            throw HubError(
                .permissionDenied,
                "Your role ends with the token that granted it, so another token cannot pass it on; do this in the console, or let an owner "
                    + "grant you a lasting role there."
            )
        }
        return PowerBound(
            credential: bound.credential ?? role.credential,
            expiry: [bound.expiry, role.expiry].compactMap { $0 }.min()
        )
    }

    /// The bound of the role that lasts longest among those that suffice.
    private func roleBound(ofAtLeast needed: Role, in project: String?) -> PowerBound {
        var bounds: [PowerBound] = []
        if let hubRole, hubRole >= needed { bounds.append(roleBounds[nil] ?? .endless) }
        if let project, let role = projectRoles[project], role >= needed {
            bounds.append(roleBounds[project] ?? .endless)
        }
        return bounds.max { $1.lasts(longerThan: $0) } ?? .endless
    }

    /// The highest role in any project; nil if there is none.
    var highestRole: Role? { ([hubRole].compactMap { $0 } + projectRoles.values).max() }

    /// - Throws: `.permissionDenied` unless the caller has a role in a project.
    func require(_ needed: Role, in project: String) throws(HubError) {
        guard let role = role(in: project), role >= needed else {
            throw HubError(
                .permissionDenied,
                "This needs the role \(needed.rawValue) in the project \"\(project.prefix(64))\"; ask an owner of the project."
            )
        }
    }

    /// - Throws: `.permissionDenied` unless the caller has a role in the whole hub.
    func require(_ needed: Role) throws(HubError) {
        guard let hubRole, hubRole >= needed else {
            throw HubError(
                .permissionDenied,
                "This needs the role \(needed.rawValue) of the whole hub; ask an administrator of the hub."
            )
        }
    }
}

/// The end of a power, and of all that is created with it.
package struct PowerBound: Sendable, Hashable {
    /// The id of the token whose revocation ends the power; nil for a person's own power.
    package var credential: String?
    /// The moment at which the power ends; nil for no end.
    package var expiry: Timestamp?

    /// The power lasts until it is removed.
    package static let endless = PowerBound()

    fileprivate func lasts(longerThan other: PowerBound) -> Bool {
        guard (credential == nil) == (other.credential == nil) else { return credential == nil }
        guard let expiry else { return other.expiry != nil }
        return other.expiry.map { $0 < expiry } ?? false
    }
}

/// The caller of an operation in a project.
package struct Caller: Sendable, Hashable {
    /// The project.
    package var project: Project
    /// The rights of the caller in the project.
    package var role: Role
    /// The caller.
    package var identity: Identity

    /// Creates a caller with a role in a single project.
    package init(project: Project, role: Role, actor: String) {
        self.project = project
        self.role = role
        identity = Identity(actor: actor, projectRoles: [project.id: role])
    }

    /// Creates a caller; nil if the identity has no role in the project.
    init?(_ identity: Identity, in project: Project) {
        guard let role = identity.role(in: project.id) else { return nil }
        self.project = project
        self.role = role
        self.identity = identity
    }

    /// The name of the caller in the audit log.
    package var actor: String { identity.actor }

    /// A caller on the hub's machine, with all rights.
    package static func local(_ project: Project) -> Caller {
        var caller = Caller(project: project, role: .administrator, actor: "")
        caller.identity = .local
        return caller
    }

    func require(_ needed: Role) throws(HubError) {
        guard role >= needed else {
            throw HubError(
                .permissionDenied,
                "This needs the role \(needed.rawValue), but the credential has the role \(role.rawValue); use another credential, or ask an "
                    + "owner of the project."
            )
        }
    }
}
