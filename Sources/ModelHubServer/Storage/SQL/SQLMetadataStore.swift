import ModelHubProtocol

/// A store in a SQL database. Extensions beside each feature contain its statements, in the SQL that all drivers
/// understand.
struct SQLMetadataStore: MetadataStore {
    let database: any SQLDatabase
    /// Nil for a database in this process, which answers as fast as a cache.
    let lookUps: LookUps?

    /// The results of frequent look-ups.
    struct LookUps: Sendable {
        struct Download: Hashable, Sendable {
            var apiKeyHash: [UInt8]
            var name: String
            var alias: ModelAlias
        }

        let downloads: LookUpCache<Download, DownloadLookup>
        let configurations: LookUpCache<[UInt8], AppConfiguration>
    }

    /// Creates a store from an open database with the tables of ``HubSchema``.
    init(_ database: any SQLDatabase) {
        self.database = database
        lookUps =
            database.isShared
            ? LookUps(downloads: LookUpCache(database.feed), configurations: LookUpCache(database.feed)) : nil
    }
}
