/// A project in the hub's own API.
package struct ProjectResource: Codable, Sendable {
    package var projectId: String
    /// A decimal string, because numbers in JSON cannot represent 64 bits.
    package var projectNumber: String
    /// The role of the caller.
    package var role: String
    /// RFC 3339.
    package var createTime: String
    /// A decimal string; nil for no limit.
    package var quotaBytes: String?
    /// A decimal string.
    package var usedBytes: String
    package var requiresInstallation: Bool

    /// Creates a project.
    package init(
        projectId: String,
        projectNumber: String,
        role: String,
        createTime: String,
        quotaBytes: String?,
        usedBytes: String,
        requiresInstallation: Bool
    ) {
        self.projectId = projectId
        self.projectNumber = projectNumber
        self.role = role
        self.createTime = createTime
        self.quotaBytes = quotaBytes
        self.usedBytes = usedBytes
        self.requiresInstallation = requiresInstallation
    }
}

/// A page of projects, by id.
package struct ProjectPage: Codable, Sendable {
    package var projects: [ProjectResource]
    /// Set if there are more.
    package var nextPageToken: String?

    /// Creates a page.
    package init(projects: [ProjectResource], nextPageToken: String?) {
        self.projects = projects
        self.nextPageToken = nextPageToken
    }
}

/// A new project, or changes of a project: nil keeps a property.
package struct ProjectInput: Codable, Sendable {
    /// Only for a new project.
    package var projectId: String?
    /// A decimal string, only for a new project.
    package var projectNumber: String?
    /// A decimal string; `0` for no limit.
    package var quotaBytes: String?
    package var requiresInstallation: Bool?

    /// Creates an input.
    package init(
        projectId: String? = nil,
        projectNumber: String? = nil,
        quotaBytes: String? = nil,
        requiresInstallation: Bool? = nil
    ) {
        self.projectId = projectId
        self.projectNumber = projectNumber
        self.quotaBytes = quotaBytes
        self.requiresInstallation = requiresInstallation
    }
}
