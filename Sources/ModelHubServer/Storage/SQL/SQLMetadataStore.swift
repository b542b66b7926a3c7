/// A store in a SQL database. Extensions beside each feature contain its statements, in the SQL that all drivers
/// understand.
struct SQLMetadataStore: MetadataStore {
    let database: any SQLDatabase

    /// Creates a store from an open database with the tables of ``HubSchema``.
    init(_ database: any SQLDatabase) { self.database = database }
}
