/// The store for sessions of the console and links that start them.
public protocol ConsoleSessionStore: Sendable {
    /// Adds a session, and removes ended sessions and the oldest beyond ``ConsoleSession/maximumCount`` for the same
    /// credential.
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws
    /// The session with a hash, unless its credential was revoked. Does not check the session's time.
    func consoleSession(idHash: [UInt8]) async throws -> ConsoleSession?
    /// The sessions of a project, newest first. Does not check the sessions' times.
    func consoleSessions(of project: String) async throws -> [ConsoleSession]
    /// Updates a session's last use and its message for the next page.
    func update(_ session: ConsoleSession) async throws
    /// Ends a session.
    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws

    /// Adds a sign-in link, identified by the hash of its code.
    func insertSignInLink(codeHash: [UInt8], project: String, expiry: Timestamp, audit: AuditEntry) async throws
    /// Uses up a sign-in link; returns its project, or nil if the link does not exist or has expired.
    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Project?
}
