/// The rights of a person or a credential. Each role includes the rights of the roles before it.
package enum Role: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// See models, Remote Config and experiments, and download versions.
    case viewer
    /// Upload, publish and promote versions of models, evaluate them, change Remote Config, and run experiments.
    case publisher
    /// Delete models, and read the audit log.
    case editor
    /// Manage the project, its people, keys and sessions.
    case owner
    /// Create projects, set quotas, and manage all people. It is valid in the whole hub.
    case administrator

    /// Creates a role from its name, or from the name that an earlier version of the hub used.
    package init?(name: String) {
        let current = ["read": "viewer", "publish": "publisher", "admin": "editor"][name] ?? name
        self.init(rawValue: current)
    }

    /// The roles that a person or a credential can have in a single project.
    package static let ofProjects = allCases.filter { $0 != .administrator }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .publisher: 1
        case .editor: 2
        case .owner: 3
        case .administrator: 4
        }
    }

    /// Roles with fewer rights come first.
    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
}
