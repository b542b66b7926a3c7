/// The store for sessions of the console and links that start them.
public protocol ConsoleSessionStore: Sendable {
    /// Adds a session, and removes ended sessions and the oldest beyond ``ConsoleSession/maximumCount`` for the same
    /// person or credential.
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws
    /// The session with a hash, unless its credential was revoked. Does not check the session's time.
    func consoleSession(idHash: [UInt8]) async throws -> ConsoleSession?
    /// The sessions of a project, newest first. Does not check the sessions' times.
    func consoleSessions(of project: String) async throws -> [ConsoleSession]
    /// The sessions of a person, newest first. Does not check the sessions' times.
    func consoleSessions(ofPerson address: String) async throws -> [ConsoleSession]
    /// Updates a session's shown project, its last use and its message for the next page.
    func update(_ session: ConsoleSession) async throws
    /// Ends a session.
    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws

    /// Adds a sign-in link, and removes ended links and the oldest beyond ``SignInLink/maximumCount`` for the same person.
    func insert(_ link: SignInLink, audit: AuditEntry) async throws
    /// Whether a sign-in link exists and has not expired.
    func hasSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Bool
    /// Uses up a sign-in link; nil if it does not exist, has expired, or its credential was revoked.
    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> SignInLink?
}
