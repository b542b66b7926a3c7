import Hummingbird

/// The page with the audit log.
extension Console {
    private struct ActivityPage: Sendable {
        struct Row: Sendable {
            var time: ConsoleTime
            var actor: String
            var action: String
            var target: String
            var detail: String
        }

        var rows: [Row]
        var hasRows: Bool
    }

    @Sendable
    func activity(_ visit: ConsoleVisit) async throws -> Response {
        let entries = try await hub.metadata.auditLog(of: visit.caller.project.id, limit: 200)
        let prefix = "projects/\(visit.caller.project.id)/"
        return .page(
            "activity",
            ConsoleChrome(title: "Activity", visit: visit),
            ActivityPage(
                rows: entries.map {
                    .init(
                        time: ConsoleTime($0.time),
                        actor: ConsoleChrome.name(of: $0.actor),
                        action: $0.action,
                        target: $0.target.hasPrefix(prefix) ? String($0.target.dropFirst(prefix.count)) : $0.target,
                        detail: $0.detail
                    )
                },
                hasRows: !entries.isEmpty
            )
        )
    }
}
