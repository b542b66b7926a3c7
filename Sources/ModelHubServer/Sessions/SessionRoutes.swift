import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// The sessions of the console that show a project: `/hub/v1/projects/{project}/sessions`.
struct SessionRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let sessions = "hub/v1/projects/{project}/sessions"
        routes.on(.get, at: sessions, for: .owner, use: list) {
            APIOperation(.access, "listSessions", "List the sessions of the console that show a project")
                .parameters(.pageSize, .pageToken)
                .answers("A page of sessions.", .sessionPage)
        }
        routes.on(.delete, at: "\(sessions)/{session}", for: .owner, use: end) {
            APIOperation(.access, "endSession", "End a session")
                .answers("The session is over.", .empty)
        }
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let sessions = try await hub.consoleSessions(of: caller.project, by: caller.identity)
        let page = try ListPage(sessions, request) { $0.id }
        return try .json(
            SessionPage(
                sessions: page.elements.map {
                    SessionResource(
                        id: $0.id,
                        user: $0.actor,
                        role: $0.role.rawValue,
                        createTime: "\($0.createTime)",
                        lastUseTime: "\($0.useTime)"
                    )
                },
                nextPageToken: page.nextToken
            )
        )
    }

    @Sendable
    private func end(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await hub.endConsoleSession(request["session"], of: caller.project, by: caller.identity)
        return try .json(EmptyObject())
    }
}
