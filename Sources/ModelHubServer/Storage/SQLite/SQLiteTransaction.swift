import GRDB

/// A transaction in SQLite.
struct SQLiteTransaction: SQLTransaction {
    let db: Database

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
            rows.append(SQLRow(names: names, values: row.databaseValues.map { Self.value($0) }))
        }
        return SQLResult(rows: rows, changeCount: db.changesCount)
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
