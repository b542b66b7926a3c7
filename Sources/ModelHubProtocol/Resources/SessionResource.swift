/// A session of the console in the hub's own API.
package struct SessionResource: Codable, Sendable {
    package var id: String
    /// The name of the user in the audit log.
    package var user: String
    /// The role of the user in the shown project.
    package var role: String
    /// RFC 3339.
    package var createTime: String
    /// RFC 3339, with an accuracy of a minute.
    package var lastUseTime: String

    /// Creates a session.
    package init(id: String, user: String, role: String, createTime: String, lastUseTime: String) {
        self.id = id
        self.user = user
        self.role = role
        self.createTime = createTime
        self.lastUseTime = lastUseTime
    }
}

/// A page of sessions, newest first.
package struct SessionPage: Codable, Sendable {
    package var sessions: [SessionResource]
    /// Set if there are more.
    package var nextPageToken: String?

    /// Creates a page.
    package init(sessions: [SessionResource], nextPageToken: String?) {
        self.sessions = sessions
        self.nextPageToken = nextPageToken
    }
}
