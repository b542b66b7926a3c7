import Hummingbird

/// The pages with the sessions that show the project, and with the sessions of the signed-in person.
extension Console {
    func addSessions(to routes: inout RouteTable) {
        page(at: "console/sessions", for: .owner, in: &routes) { visit in
            let sessions = try await hub.consoleSessions(of: visit.caller.project, by: visit.identity)
            return sessionPage(visit, "Sessions", "/console/sessions", sessions)
        }
        form(at: "console/sessions/{session}/end", for: .owner, in: &routes) { visit in
            try await end(visit, thenTo: "/console/sessions") {
                try await hub.endConsoleSession(visit.request["session"], of: visit.caller.project, by: visit.identity)
            }
        }
        page(at: "console/your-sessions", in: &routes) { visit in
            let sessions = try await hub.sessions(ofUserOf: visit.session)
            return sessionPage(visit, "Your sessions", "/console/your-sessions", sessions)
        }
        form(at: "console/your-sessions/{session}/end", for: .viewer, in: &routes) { visit in
            try await end(visit, thenTo: "/console/your-sessions") {
                try await hub.endSession(visit.request["session"], ofUserOf: visit.session, by: visit.identity)
            }
        }
    }

    private struct SessionListPage: Sendable {
        struct Row: Sendable {
            var id: String
            var user: String
            var project: String
            var role: String
            var begun: ConsoleTime
            var used: ConsoleTime
            var isCurrent: Bool
            var path: String
        }

        var title: String
        var isOwn: Bool
        var rows: [Row]
    }

    private func sessionPage(
        _ visit: ConsoleVisit,
        _ title: String,
        _ path: String,
        _ sessions: [ConsoleSession]
    ) -> Response {
        .page(
            "sessions",
            ConsoleChrome(title: title, visit: visit),
            SessionListPage(
                title: title,
                isOwn: path == "/console/your-sessions",
                rows: sessions.map {
                    .init(
                        id: $0.id,
                        user: ConsoleChrome.name(of: $0.actor),
                        project: $0.project.id,
                        role: $0.role.rawValue,
                        begun: ConsoleTime($0.createTime),
                        used: ConsoleTime($0.useTime),
                        isCurrent: $0.idHash == visit.session.idHash,
                        path: "\(path)/\($0.id)/end"
                    )
                }
            )
        )
    }

    private func end(
        _ visit: ConsoleVisit,
        thenTo location: String,
        _ body: () async throws -> Void
    ) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: location) {
            try await body()
            return "The session was ended."
        }
    }
}
