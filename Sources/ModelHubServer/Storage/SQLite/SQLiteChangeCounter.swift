import Foundation
import GRDBSQLite
import Synchronization

/// A number that changes with every change of a SQLite database, through any connection and process.
///
/// It costs a few microseconds: SQLite looks into the index of the write-ahead log (`PRAGMA data_version`,
/// sqlite.org/pragma.html). Reading it from a connection that never writes makes it also count the writes of this process.
final class SQLiteChangeCounter: Sendable {
    /// SQLite's handles.
    ///
    /// Sound: the pointers stay in the mutex below, and only code that holds it passes them to SQLite.
    private struct Handles: @unchecked Sendable {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
    }

    private let handles = Mutex(Handles())

    /// Opens a connection to a database that exists.
    ///
    /// - Throws: ``HubError`` with SQLite's reason.
    init(_ file: URL) throws(HubError) {
        let failure: String? = handles.withLock { handles in
            let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
            var connection: OpaquePointer?
            var statement: OpaquePointer?
            guard sqlite3_open_v2(file.path, &connection, flags, nil) == SQLITE_OK,
                sqlite3_prepare_v2(connection, "PRAGMA data_version", -1, &statement, nil) == SQLITE_OK
            else {
                let reason = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
                sqlite3_close_v2(connection)
                return reason
            }
            handles = Handles(connection: connection, statement: statement)
            return nil
        }
        guard let failure else { return }
        throw HubError(
            .internal,
            "The database \(file.path) cannot be opened (\(failure)); check the folder's permissions, or restore a backup."
        )
    }

    deinit { close() }

    /// The number; nil if SQLite does not know it at this moment, or after ``close()``.
    func value() -> Int64? {
        handles.withLock { handles in
            guard let statement = handles.statement else { return nil }
            defer { sqlite3_reset(statement) }
            return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
        }
    }

    /// Closes the connection.
    func close() {
        handles.withLock { handles in
            sqlite3_finalize(handles.statement)
            sqlite3_close_v2(handles.connection)
            handles = Handles()
        }
    }
}
