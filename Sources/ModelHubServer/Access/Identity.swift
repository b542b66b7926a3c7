/// A signed-in person or program, and its roles.
public struct Identity: Sendable, Hashable {
    /// The name in the audit log.
    public var actor: String
    /// The address of the person; nil for automation and for commands on the hub's machine.
    public var person: String?
    /// The id of the credential that identifies the caller, or that created the caller's sign-in link; nil for a person's
    /// own act.
    public var credential: String?
    /// The end of the caller's power; nil for no end. Whatever the caller creates ends no later.
    public var expiry: Timestamp?
    /// The role in all projects of the hub, if any.
    public var hubRole: Role?
    /// Roles in single projects, by the ids of the projects.
    public var projectRoles: [String: Role]
    /// The highest role that the caller's token or session allows.
    private(set) var ceiling = Role.administrator
    /// The only project that the caller's token or session allows, by its id; nil for any project.
    private(set) var enclosure: String?

    /// Creates an identity.
    public init(
        actor: String,
        person: String? = nil,
        credential: String? = nil,
        expiry: Timestamp? = nil,
        hubRole: Role? = nil,
        projectRoles: [String: Role] = [:]
    ) {
        self.actor = actor
        self.person = person
        self.credential = credential
        self.expiry = expiry
        self.hubRole = hubRole
        self.projectRoles = projectRoles
    }

    /// A command on the hub's machine, with all rights.
    public static let local = Identity(actor: "local", hubRole: .administrator)

    /// The role in a project, by its id; nil for no access.
    public func role(in project: String) -> Role? {
        guard let own = projectRoles[project] else { return hubRole }
        return hubRole.map { max($0, own) } ?? own
    }

    /// Whether the caller manages the whole hub.
    public var isAdministrator: Bool { hubRole == .administrator }

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
            limited.projectRoles = self.role(in: project).map { [project: min($0, role)] } ?? [:]
            limited.hubRole = nil
        } else {
            limited.hubRole = hubRole.map { min($0, role) }
            limited.projectRoles = projectRoles.mapValues { min($0, role) }
        }
        return limited
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

/// The caller of an operation in a project.
public struct Caller: Sendable, Hashable {
    /// The project.
    public var project: Project
    /// The rights of the caller in the project.
    public var role: Role
    /// The caller.
    public var identity: Identity

    /// Creates a caller with a role in a single project.
    public init(project: Project, role: Role, actor: String) {
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
    public var actor: String { identity.actor }

    /// A caller on the hub's machine, with all rights.
    public static func local(_ project: Project) -> Caller {
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
