import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// The projects of the hub: `/hub/v1/projects`.
struct ProjectRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let projects = "hub/v1/projects"
        routes.onHub(.get, at: projects, for: nil, use: list) {
            APIOperation(.access, "listProjects", "List the caller's projects")
                .parameters(.pageSize, .pageToken)
                .answers("A page of projects.", .projectPage)
        }
        routes.onHub(.post, at: projects, for: .administrator, use: create) {
            APIOperation(.access, "createProject", "Create a project")
                .takes(.projectInput)
                .answers("The project.", .project)
        }
        routes.on(.get, at: "\(projects)/{project}", for: .viewer, use: get) {
            APIOperation(.access, "getProject", "Get a project")
                .answers("The project.", .project)
        }
        routes.on(.patch, at: "\(projects)/{project}", for: .owner, use: patch) {
            APIOperation(.access, "updateProject", "Change a project")
                .takes(.projectInput)
                .answers("The project.", .project)
        }
        routes.on(.delete, at: "\(projects)/{project}", for: .owner, use: delete) {
            APIOperation(.access, "deleteProject", "Delete a project without models")
                .answers("The project is deleted, with its keys and uploads.", .empty)
        }
    }

    @Sendable
    private func list(_ request: APIRequest, _ identity: Identity) async throws -> Response {
        let page = try ListPage(try await hub.projects(of: identity), request) { $0.id }
        var projects: [ProjectResource] = []
        for project in page.elements { projects.append(try await resource(project, for: identity)) }
        return try .json(ProjectPage(projects: projects, nextPageToken: page.nextToken))
    }

    @Sendable
    private func create(_ request: APIRequest, _ identity: Identity) async throws -> Response {
        let input = try await request.json(ProjectInput.self)
        let number = try input.projectNumber.map { text throws(HubError) in
            guard let number = Int64(text) else { throw HubError.invalidArgument }
            return number
        }
        let project = try await hub.createProject(
            input.projectId ?? "",
            number: number,
            quota: try Self.quota(input.quotaBytes) ?? nil,
            requiresInstallation: input.requiresInstallation ?? false,
            by: identity
        )
        return try .json(try await resource(project, for: identity))
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(try await resource(caller.project, for: caller.identity))
    }

    @Sendable
    private func patch(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let input = try await request.json(ProjectInput.self)
        var project = caller.project
        if let quota = try Self.quota(input.quotaBytes) { project.quota = quota }
        if let requiresInstallation = input.requiresInstallation { project.requiresInstallation = requiresInstallation }
        try await hub.updateProject(project, by: caller.identity)
        return try .json(try await resource(project, for: caller.identity))
    }

    @Sendable
    private func delete(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await hub.deleteProject(caller.project, by: caller.identity)
        return try .json(EmptyObject())
    }

    /// A quota; the outer nil keeps the present quota, the inner nil removes it.
    private static func quota(_ text: String?) throws(HubError) -> Int?? {
        guard let text else { return nil }
        guard let quota = Int(text), quota >= 0 else {
            throw HubError(.invalidArgument, "quotaBytes must be a number of bytes, or 0 for no limit.")
        }
        return .some(quota == 0 ? nil : quota)
    }

    private func resource(_ project: Project, for identity: Identity) async throws -> ProjectResource {
        ProjectResource(
            projectId: project.id,
            projectNumber: "\(project.number)",
            role: (identity.role(in: project.id) ?? .viewer).rawValue,
            createTime: "\(project.createTime)",
            quotaBytes: project.quota.map { "\($0)" },
            usedBytes: "\(try await hub.usage(of: project).byteCount)",
            requiresInstallation: project.requiresInstallation
        )
    }
}
