/// Changes through other hubs come as notifications (LISTEN and NOTIFY).
extension PostgresConnection {
    /// The channel of the hubs of a database.
    static let channel = "hub"

    /// The time between two questions for the server's time, which also show whether the connection still works: a
    /// network that is cut may not end it.
    private static let questionInterval = Duration.seconds(5)

    /// Sends changes to a feed, and sets a clock, until the task is cancelled. The connection is for nothing else.
    ///
    /// While the connection is lost, the feed is incomplete.
    func report(to feed: ChangeFeed, setting clock: DatabaseClock) async {
        while !Task.isCancelled {
            do {
                try openSession().execute("LISTEN \(Self.channel)")
                feed.setComplete(true)
                var lastQuestion: ContinuousClock.Instant?
                while !Task.isCancelled {
                    if lastQuestion.map({ .now - $0 >= Self.questionInterval }) ?? true {
                        try set(clock)
                        lastQuestion = .now
                    }
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

    /// A statement that notifies all hubs of a change once its transaction took effect.
    static func notification(of project: String) -> String {
        "SELECT pg_notify('\(channel)', '\(project.replacing("'", with: "''"))'); "
    }

    private func set(_ clock: DatabaseClock) throws {
        let start = ContinuousClock.now
        let milliseconds = try openSession().value(Int64.self, DatabaseClock.query)
        // The server read its clock somewhere between both instants.
        let time = ContinuousClock.now - start
        if let milliseconds { clock.set(Timestamp(milliseconds: milliseconds), at: start + time / 2) }
    }

    private func notifications() throws -> [String] {
        // Short, so that a cancelled task ends soon.
        guard let texts = try openSession().notifications(within: 200) else {
            throw PostgresError(state: nil, message: "the connection for notifications was lost")
        }
        return texts
    }
}
