import Foundation
import Hummingbird
import TextFormatting

/// The page with the projects of the user, and the switch of the shown project.
extension Console {
    func addProjects(to routes: inout RouteTable) {
        let projects = "console/projects"
        page(at: projects, in: &routes, use: projectList)
        form(at: projects, for: .administrator, in: &routes, use: createProject)
        form(at: "\(projects)/{name}/show", for: .viewer, in: &routes, use: showProject)
        form(at: "\(projects)/{name}/settings", for: .viewer, in: &routes, use: changeProject)
        page(at: "\(projects)/{name}/delete", in: &routes, use: deletionPage)
        form(at: "\(projects)/{name}/delete", for: .viewer, in: &routes, use: deleteProject)
    }

    private struct ProjectListPage: Sendable {
        struct Row: Sendable {
            var id: String
            var number: String
            var role: String
            var used: String
            var quota: String
            var quotaMegabytes: String
            var requiresInstallation: Bool
            var created: ConsoleTime
            var isShown: Bool
            var isOwner: Bool
            var path: String
        }

        var rows: [Row]
        var next: String?
        var isAdministrator: Bool
    }

    @Sendable
    private func projectList(_ visit: ConsoleVisit) async throws -> Response {
        let page = try ListPage(try await hub.projects(of: visit.identity), visit.request) { $0.id }
        var rows: [ProjectListPage.Row] = []
        for project in page.elements {
            let role = visit.identity.role(in: project.id) ?? .viewer
            rows.append(
                .init(
                    id: project.id,
                    number: "\(project.number)",
                    role: role.rawValue,
                    used: NumberText.bytes(try await hub.usage(of: project).byteCount),
                    quota: project.quota.map { NumberText.bytes($0) } ?? "none",
                    quotaMegabytes: project.quota.map { "\($0 / 1_000_000)" } ?? "0",
                    requiresInstallation: project.requiresInstallation,
                    created: ConsoleTime(project.createTime),
                    isShown: project.id == visit.caller.project.id,
                    isOwner: role >= .owner,
                    path: "/console/projects/\(project.id)"
                )
            )
        }
        return .page(
            "projects",
            ConsoleChrome(title: "Projects", visit: visit),
            ProjectListPage(
                rows: rows,
                next: page.nextToken.map { "/console/projects?pageToken=\(Self.encoded($0))" },
                isAdministrator: visit.identity.isAdministrator
            )
        )
    }

    @Sendable
    private func createProject(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        return try await change(visit, thenTo: "/console/projects") {
            let number = try Self.number(form["number"])
            let project = try await hub.createProject(
                form["id"],
                number: number.map { Int64($0) },
                quota: nil,
                requiresInstallation: false,
                by: visit.identity
            )
            return "The project \(project.id) has the number \(project.number)."
        }
    }

    @Sendable
    private func showProject(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        try await hub.show(visit.request["name"], in: visit.session, by: visit.identity)
        return try .seeOther("/console/models", for: visit.request)
    }

    @Sendable
    private func changeProject(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        return try await change(visit, thenTo: "/console/projects") {
            var project = try await hub.caller(visit.identity, in: visit.request["name"]).project
            if form.fields["quota"] != nil {
                guard let quota = try Self.number(form["quota"]), quota <= 1_000_000_000 else {
                    throw HubError.invalidArgument
                }
                project.quota = quota == 0 ? nil : quota * 1_000_000
            }
            project.requiresInstallation = form["installations"] == "yes"
            try await hub.updateProject(project, by: visit.identity)
            return "The settings of \(project.id) are saved."
        }
    }

    @Sendable
    private func deletionPage(_ visit: ConsoleVisit) async throws -> Response {
        let caller = try await hub.caller(visit.identity, in: visit.request["name"])
        try caller.require(.owner)
        let id = caller.project.id
        return .confirmation(
            ConsoleChrome(title: "Delete \(id)", visit: visit, section: "projects"),
            .init(
                title: "Delete the project \(id)?",
                text:
                    "Its keys, uploads, Remote Config and experiments are deleted, and its people lose their roles in it. A project with models "
                    + "cannot be deleted. This cannot be undone.",
                action: "Delete \(id)",
                back: "/console/projects",
                backTitle: "Projects",
                path: "/console/projects/\(id)/delete"
            )
        )
    }

    @Sendable
    private func deleteProject(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        let project = try await hub.caller(visit.identity, in: visit.request["name"]).project
        try await hub.deleteProject(project, by: visit.identity)
        // The session shows another project now, or has ended.
        return try .seeOther("/console/projects", for: visit.request)
    }

    /// A whole number; nil for an empty text.
    private static func number(_ text: String) throws(HubError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw HubError(.invalidArgument, "\"\(text.prefix(40))\" is not a whole number.")
        }
        return number
    }
}
