import GRDB

/// A transaction in SQLite.
struct SQLiteTransaction: SQLTransaction {
    let db: Database
    /// The projects with changes.
    private let changed = ChangedProjects()

    init(db: Database) { self.db = db }

    /// The projects whose changes were announced.
    var changedProjects: Set<String> { changed.projects }

    func announceChange(of project: String) { changed.projects.insert(project) }

    private final class ChangedProjects {
        var projects: Set<String> = []
    }

    func run(_ sql: String, _ columns: Columns, isReused: Bool) throws -> SQLResult {
        let statement = try isReused ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        let arguments = StatementArguments(columns.values.mapValues { Self.argument($0) })
        guard statement.columnCount > 0 else {
            try statement.execute(arguments: arguments)
            return SQLResult(changeCount: db.changesCount)
        }
        let names = statement.columnNames
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        var rows: [SQLRow] = []
        while let row = try cursor.next() {
            // A later version may have added columns since the statement was prepared. They come after all others, and the names
            // do not have them.
            let values = names.indices.map { (index) -> DatabaseValue in row[index] }
            rows.append(SQLRow(names: names, values: values.map { Self.value($0) }))
        }
        return SQLResult(rows: rows, changeCount: db.changesCount)
    }

    /// SQLite's own table contains the last ids of tables with `AUTOINCREMENT`.
    func lastID(of table: String) throws -> Int64? {
        try value(Int64.self, "SELECT seq FROM sqlite_sequence WHERE name = :table", ["table": table])
    }

    func assignIDs(after id: Int64, in table: String) throws {
        let row: Columns = ["table": table, "id": id]
        guard try change("UPDATE sqlite_sequence SET seq = max(seq, :id) WHERE name = :table", row) == 0 else { return }
        try change("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :id)", row)
    }

    private static func argument(_ value: Columns.Value) -> (any DatabaseValueConvertible)? {
        switch value?.sqlValue ?? .null {
        case .null: nil
        case .boolean(let value): value
        case .integer(let number): number
        case .real(let number): number
        case .text(let text): text
        case .bytes(let bytes): bytes
        }
    }

    private static func value(_ value: DatabaseValue) -> SQLValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .blob(let bytes): .bytes(bytes)
        }
    }
}
