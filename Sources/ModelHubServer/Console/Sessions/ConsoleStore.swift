/// The store for the console. As in ``MetadataStore``, every method is a transaction.
public protocol ConsoleStore: Sendable {
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

    /// A page of the models of a project, with the total number.
    func modelListing(of project: String, _ query: ModelListQuery) async throws -> ModelListing
    /// Adds downloads of models; deleted models are ignored.
    func addDownloads(_ counts: [Int64: Int]) async throws
    /// The number of downloads of a model.
    func downloads(of model: Int64) async throws -> Int
}

/// The selection and order of listed models.
public struct ModelListQuery: Sendable, Hashable {
    /// The state of listed models.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Models that clients can download.
        case published
        /// Models that clients cannot download.
        case unpublished
        /// Models whose newest file cannot be published.
        case invalid
    }

    /// The order of models.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// By name, ignoring case.
        case name
        /// Most recently changed first.
        case updated
        /// Most frequently downloaded first.
        case downloads
    }

    /// A part of the name or of a tag, ignoring case; empty for all models.
    public var text = ""
    /// The state; nil for all states.
    public var state: State?
    /// The order.
    public var order = Order.name
    /// The number of skipped models.
    public var offset = 0
    /// The maximum number of models.
    public var limit = 50
}

/// A page of models.
public struct ModelListing: Sendable {
    /// A model with its counts.
    public struct Entry: Sendable {
        /// The model.
        public var model: ModelRecord
        /// The number of versions.
        public var versionCount: Int
        /// The number of downloads.
        public var downloadCount: Int
    }

    /// The models on the page.
    public var entries: [Entry]
    /// The number of matching models.
    public var matchCount: Int
    /// The number of all models in the project.
    public var totalCount: Int
}
