import ModelHubProtocol

/// The hub's records, in a SQL database. Extensions beside each feature contain its methods and their statements, in the SQL that all
/// databases understand.
///
/// Every method is a transaction: it takes effect durably, or not at all. Methods that change records write an entry of
/// the audit log in the same transaction.
///
/// The records also show which files are stored, which are needed, and which are being removed. A caller claims a file before it stores
/// its bytes, and the claim ends with the transaction that records their use. Until then the file cannot be removed. A removal is recorded
/// before the bytes go, and ends when they are gone. Transactions therefore never wait for the store of the bytes. A record of an upload
/// exists before its first byte is stored, and ends with the transaction that adds the object.
package struct HubRecords: Sendable {
    let database: any SQLDatabase
    let lookUps: LookUps

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
        lookUps = LookUps(downloads: LookUpCache(database), configurations: LookUpCache(database))
    }
}
