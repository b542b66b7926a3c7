/// The store for projects.
public protocol ProjectStore: Sendable {
    /// Adds a project, and assigns a number if its own is 0. Throws `.alreadyExists` if the id or the number is taken.
    func insert(_ project: Project, audit: AuditEntry) async throws -> Project
    /// Updates the changeable properties of a project: the quota and the requirement of installation tokens.
    func update(_ project: Project, audit: AuditEntry) async throws
    /// The project with the given id or number.
    func project(_ idOrNumber: String) async throws -> Project?
    /// All projects, by id.
    func projects() async throws -> [Project]
    /// Removes a project without models. Throws `.failedPrecondition` if it has models.
    func deleteProject(_ id: String, audit: AuditEntry) async throws
    /// The usage of a project's quota.
    func usage(of project: String) async throws -> ProjectUsage
}
