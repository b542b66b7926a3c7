/// The store for lists of models on the console's pages.
public protocol ModelListingStore: Sendable {
    /// A page of the models of a project, with the total number.
    func modelListing(of project: String, _ query: ModelListQuery) async throws -> ModelListing
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

    /// Selects the first page of all models.
    public init() {}
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
        /// The inputs, outputs and use of the served version as JSON; nil if no version is served.
        public var inspection: String?

        /// Creates an entry.
        public init(
            model: ModelRecord,
            versionCount: Int,
            downloadCount: Int,
            inspection: String? = nil
        ) {
            self.model = model
            self.versionCount = versionCount
            self.downloadCount = downloadCount
            self.inspection = inspection
        }
    }

    /// The models on the page.
    public var entries: [Entry]
    /// The number of matching models.
    public var matchCount: Int
    /// The number of all models in the project.
    public var totalCount: Int

    /// Creates a page.
    public init(
        entries: [Entry],
        matchCount: Int,
        totalCount: Int
    ) {
        self.entries = entries
        self.matchCount = matchCount
        self.totalCount = totalCount
    }
}
