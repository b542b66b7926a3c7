/// Changes through other hubs come as notifications (LISTEN and NOTIFY).
extension PostgresConnection {
    /// The channel of the hubs of a database.
    static let channel = "hub"

    /// Tells a feed of changes until the task is cancelled. The connection is for nothing else.
    ///
    /// While the connection is lost, the feed is incomplete.
    func tell(_ feed: ChangeFeed) async {
        while !Task.isCancelled {
            do {
                try openSession().execute("LISTEN \(Self.channel)")
                feed.setComplete(true)
                while !Task.isCancelled {
                    for project in try notifications() { feed.send(.project(project)) }
                    // Lets other parts of the actor run.
                    await Task.yield()
                }
            } catch {
                feed.setComplete(false)
                close()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        close()
    }

    /// A statement that tells all hubs of a change once its transaction took effect.
    static func notification(of project: String) -> String {
        "SELECT pg_notify('\(channel)', '\(project.replacing("'", with: "''"))'); "
    }

    private func notifications() throws -> [String] {
        // Short, so that a cancelled task ends soon.
        guard let texts = try openSession().notifications(within: 200) else {
            throw PostgresError(state: nil, message: "the connection for notifications was lost")
        }
        return texts
    }
}
