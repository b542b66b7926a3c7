/// What the console keeps. As with ``MetadataStore``, every method is one transaction.
public protocol ConsoleStore: Sendable {
    /// Adds a session, and drops those that ended and the oldest beyond ``ConsoleSession/maximumCount`` of the same credential.
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws
    /// The session of a hash, unless its credential was revoked. Whether its time is over is not looked at.
    func consoleSession(idHash: [UInt8]) async throws -> ConsoleSession?
    /// The sessions of a project, the newest first. Whether their time is over is not looked at.
    func consoleSessions(of project: String) async throws -> [ConsoleSession]
    /// Sets when a session was last used, and what is to be said on the next page.
    func update(_ session: ConsoleSession) async throws
    /// Ends a session.
    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws

    /// Adds a sign-in link, known by the hash of its code.
    func insertSignInLink(codeHash: [UInt8], project: String, expiry: Timestamp, audit: AuditEntry) async throws
    /// Uses a sign-in link up; gives its project, or nil if there is no such link or its time is over.
    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Project?

    /// A page of the models of a project, and how many there are.
    func modelListing(of project: String, _ query: ModelListQuery) async throws -> ModelListing
    /// Adds downloads of models; those that are gone are left out.
    func addDownloads(_ counts: [Int64: Int]) async throws
    /// How often a model was downloaded.
    func downloads(of model: Int64) async throws -> Int
}

/// Which models are listed, and how.
public struct ModelListQuery: Sendable, Hashable {
    /// States of models.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Those that clients may download.
        case published
        /// Those that clients may not download.
        case unpublished
        /// Those whose newest file cannot be published.
        case invalid
    }

    /// Orders of models.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// By name, whatever its case.
        case name
        /// Those that changed last come first.
        case updated
        /// Those that were downloaded most come first.
        case downloads
    }

    /// What is part of the name or of a tag, whatever its case; empty for all.
    public var text = ""
    /// Of one state only.
    public var state: State?
    /// The order.
    public var order = Order.name
    /// How many are left out before.
    public var offset = 0
    /// How many are given at most.
    public var limit = 50
}

/// Models as they are listed.
public struct ModelListing: Sendable {
    /// A model with what is counted of it.
    public struct Entry: Sendable {
        /// The model.
        public var model: ModelRecord
        /// How many versions it has.
        public var versionCount: Int
        /// How often it was downloaded.
        public var downloadCount: Int
    }

    /// Those of the page.
    public var entries: [Entry]
    /// How many the query fits.
    public var matchCount: Int
    /// How many the project has.
    public var totalCount: Int
}
