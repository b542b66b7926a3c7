/// A model with a page of its versions, in the hub's own API.
///
/// The inspection contains the hub's findings about the file: stored JSON for the server, a value for commands.
package struct ModelDetailsResource<Inspection: Codable & Sendable>: Codable, Sendable {
    /// A version of the model's file.
    package struct Version: Codable, Sendable {
        package var version: Int
        /// The SHA-256 of the file.
        package var modelHash: String
        /// A decimal string, because numbers in JSON cannot represent 64 bits.
        package var sizeBytes: String
        /// See ``HostedFormat``; absent if an earlier hub answers.
        package var modelFormat: String?
        /// RFC 3339.
        package var createTime: String
        package var gcsTfliteUri: String
        /// The caller that added it; absent if an earlier hub added it.
        package var actor: String?
        /// From 0 to 1.
        package var confidenceThreshold: Double?
        /// Notes for people about the version; absent if there are no notes.
        package var notes: String?
        /// The reason why the hub cannot run it.
        package var warning: String?
        /// The number of downloads.
        package var downloads: Int
        package var inspection: Inspection

        /// Creates a version.
        package init(
            version: Int,
            modelHash: String,
            sizeBytes: String,
            modelFormat: String?,
            createTime: String,
            gcsTfliteUri: String,
            actor: String?,
            confidenceThreshold: Double?,
            notes: String?,
            warning: String?,
            downloads: Int,
            inspection: Inspection
        ) {
            self.version = version
            self.modelHash = modelHash
            self.sizeBytes = sizeBytes
            self.modelFormat = modelFormat
            self.createTime = createTime
            self.gcsTfliteUri = gcsTfliteUri
            self.actor = actor
            self.confidenceThreshold = confidenceThreshold
            self.notes = notes
            self.warning = warning
            self.downloads = downloads
            self.inspection = inspection
        }
    }

    package var model: ModelResource
    /// Description, license and author; absent if an earlier hub answers.
    package var card: ModelCard?
    /// The version that is served after the model is published.
    package var servedVersion: Int?
    /// The threshold of the served version, from 0 to 1.
    package var confidenceThreshold: Double?
    /// The version that each alias names. `production` is the served version.
    package var aliases: [ModelAlias: Int]
    /// The versions, newest first.
    package var versions: [Version]
    /// Set if there are older versions.
    package var nextPageToken: String?

    /// Creates the details of a model.
    package init(
        model: ModelResource,
        card: ModelCard?,
        servedVersion: Int?,
        confidenceThreshold: Double?,
        aliases: [ModelAlias: Int],
        versions: [Version],
        nextPageToken: String?
    ) {
        self.model = model
        self.card = card
        self.servedVersion = servedVersion
        self.confidenceThreshold = confidenceThreshold
        self.aliases = aliases
        self.versions = versions
        self.nextPageToken = nextPageToken
    }
}
