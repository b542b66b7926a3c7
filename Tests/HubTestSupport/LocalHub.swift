import ModelHubServer

/// Management as by a command on the hub's machine.
extension Hub {
    /// Creates a project.
    package func createProject(
        _ id: String,
        number: Int64? = nil,
        quota: Int?,
        requiresInstallation: Bool
    ) async throws -> Project {
        try await createProject(
            id,
            number: number,
            quota: quota,
            requiresInstallation: requiresInstallation,
            by: .local
        )
    }

    /// Changes a project.
    package func updateProject(_ project: Project) async throws { try await updateProject(project, by: .local) }

    /// Creates a credential of a project.
    package func issue(
        _ kind: Credential.Kind,
        role: Role,
        name: String,
        for project: Project,
        address: String
    ) async throws -> IssuedCredential {
        var plan = CredentialPlan(kind, role: role, name: name, owner: .project(project.id))
        plan.address = address
        return try await createCredential(plan, by: .local)
    }

    /// Takes over an API key.
    @discardableResult
    package func adopt(apiKey key: String, name: String, for project: Project) async throws -> Credential {
        var plan = CredentialPlan(.apiKey, role: .viewer, name: name, owner: .project(project.id))
        plan.existingKey = key
        return try await createCredential(plan, by: .local).credential
    }

    /// Revokes a credential of a project.
    package func revoke(_ id: String, of project: Project) async throws {
        try await revokeCredential(id, of: .project(project.id), by: .local)
    }

    /// The credentials of a project.
    package func credentials(of project: Project) async throws -> [Credential] {
        try await credentials(of: .project(project.id), by: .local)
    }

    /// The sessions that show a project.
    package func consoleSessions(of project: Project) async throws -> [ConsoleSession] {
        try await consoleSessions(of: project, by: .local)
    }

    /// Ends a session.
    package func endConsoleSession(_ id: String, of project: Project) async throws {
        try await endConsoleSession(id, of: project, by: .local)
    }
}
