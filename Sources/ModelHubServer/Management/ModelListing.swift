/// The selection and order of listed models.
package struct ModelListQuery: Sendable, Hashable {
    /// The state of listed models.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Models that clients can download.
        case published
        /// Models that clients cannot download.
        case unpublished
        /// Models whose newest file cannot be published.
        case invalid
    }

    /// The order of models.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        /// By name, ignoring case.
        case name
        /// Most recently changed first.
        case updated
        /// Most frequently downloaded first.
        case downloads
    }

    /// A part of the name or of a tag, ignoring case; empty for all models.
    package var text = ""
    /// The state; nil for all states.
    package var state: State?
    /// The order.
    package var order = Order.name
    /// The number of skipped models.
    package var offset = 0
    /// The maximum number of models.
    package var limit = 50

    /// Selects the first page of all models.
    package init() {}
}

/// A page of models.
package struct ModelListing: Sendable {
    /// A model with its counts.
    package struct Entry: Sendable {
        /// The model.
        package var model: ModelRecord
        /// The number of versions.
        package var versionCount: Int
        /// The number of downloads.
        package var downloadCount: Int
        /// The inputs, outputs and use of the served version as JSON; nil if no version is served.
        package var inspection: String?
    }

    /// The models on the page.
    package var entries: [Entry]
    /// The number of matching models.
    package var matchCount: Int
    /// The number of all models in the project.
    package var totalCount: Int
}
