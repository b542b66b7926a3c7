import Foundation

/// The management of projects.
extension Hub {
    /// Creates a project.
    ///
    /// - Parameters:
    ///   - id: The name of the project in addresses and commands.
    ///   - number: The project's number at Firebase, which is part of the ids of its apps; nil for a new number.
    ///   - quota: The maximum number of bytes; nil for no limit.
    ///   - requiresInstallation: Whether an app must register before it may download models.
    ///   - identity: An administrator of the hub.
    package func createProject(
        _ id: String,
        number: Int64? = nil,
        quota: Int?,
        requiresInstallation: Bool,
        by identity: Identity
    ) async throws -> Project {
        try identity.require(.administrator)
        try Project.check(id: id, number: number)
        try Self.check(quota: quota)
        let project = Project(
            id: id,
            number: number ?? 0,
            createTime: now(),
            quota: quota,
            requiresInstallation: requiresInstallation
        )
        return try await records.insert(project, audit: audit(identity, "project.create", project))
    }

    /// Changes the quota of a project, and whether downloads require installation tokens. Only administrators change the
    /// quota.
    package func updateProject(_ project: Project, by identity: Identity) async throws {
        try identity.require(.owner, in: project.id)
        guard let known = try await records.project(project.id) else { throw HubError.entityNotFound }
        if known.quota != project.quota { try identity.require(.administrator) }
        try Self.check(quota: project.quota)
        let detail =
            "quota \(project.quota.map { "\($0)" } ?? "none"), installations \(project.requiresInstallation ? "required" : "not required")"
        try await records.update(project, audit: audit(identity, "project.update", project, detail))
    }

    /// Deletes a project without models, its keys and uploads.
    package func deleteProject(_ project: Project, by identity: Identity) async throws {
        try identity.require(.owner, in: project.id)
        try await records.deleteProject(project.id, audit: audit(identity, "project.delete", project))
    }

    /// All projects, by id.
    package func projects() async throws -> [Project] { try await records.projects() }

    /// The part of its quota that a project uses.
    package func usage(of project: Project) async throws -> ProjectUsage {
        try await records.usage(of: project.id)
    }

    private static func check(quota: Int?) throws(HubError) {
        guard let quota, quota < 0 else { return }
        throw HubError(.invalidArgument, "A quota is a number of bytes, not \(quota).")
    }

    private func audit(_ identity: Identity, _ action: String, _ project: Project, _ detail: String = "") -> AuditEntry
    {
        var entry = audit(identity, action, "projects/\(project.id)", detail)
        entry.project = project.id
        return entry
    }
}
