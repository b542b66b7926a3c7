import Foundation
import GRDB

/// A store in a SQLite database in WAL mode, which allows simultaneous readers and a single writer in several
/// processes. Extensions beside each feature contain its statements.
struct SQLiteMetadataStore: MetadataStore {
    let pool: DatabasePool
    /// A separate connection for fast look-ups, so that they never wait for a long list.
    let lookups: DatabaseQueue

    /// Opens the database in a file, and creates or migrates it if necessary.
    init(_ file: URL) throws {
        var configuration = Configuration()
        // A command and the server may write at the same time.
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in
            // A transaction survives a power failure once its caller got the response.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        pool = try DatabasePool(path: file.path, configuration: configuration)
        let migrator = HubSchema.migrator
        guard try !pool.read(migrator.hasBeenSuperseded) else {
            throw HubError(
                .failedPrecondition,
                "The database \(file.path) was written by a newer hub; install that version, or restore an older backup."
            )
        }
        try migrator.migrate(pool)
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        lookups = try DatabaseQueue(path: file.path, configuration: reading)
    }

    /// Opens the database of a hub in a file that only its owner can read.
    static func open(_ file: URL) throws(HubError) -> SQLiteMetadataStore {
        // The database contains the signing key. SQLite gives its other files the same permissions.
        let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Foundation.close(descriptor) }
        do {
            return try SQLiteMetadataStore(file)
        } catch let error as HubError {
            throw error
        } catch {
            throw HubError(
                .internal,
                "The database \(file.path) cannot be opened (\(error)); check the folder's permissions, or restore a backup."
            )
        }
    }

    /// Moves everything into the file, and closes it. No other connection may use the file.
    func close() throws {
        try lookups.close()
        // SQLite does this when the last writer closes the file, but GRDB closes readers after the writer; then the last
        // changes would stay in the file beside it.
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try pool.close()
    }
}
