import CPostgres

/// The statements that a connection has parsed or prepared.
struct PreparedStatements {
    /// The types of parameters belong to the key, because absent values have none.
    struct Key: Hashable {
        var sql: String
        var types: [UInt32]
    }

    /// The server keeps prepared statements in memory.
    static let limit = 500

    /// Statements by their text with parameters `:name`.
    var parsed: [String: PostgresStatement] = [:]
    /// The names of prepared statements.
    var names: [Key: String] = [:]
}

extension PostgresSession: SQLTransaction {
    func run(_ sql: String, _ columns: Columns, isReused: Bool) throws -> SQLResult {
        let statement = isReused ? parsed(sql) : PostgresStatement(sql)
        let values = statement.names.map { columns[$0]?.sqlValue ?? .null }
        let types = values.map { PostgresValue.type(of: $0) }
        let name = isReused ? try prepare(statement.sql, types) : nil
        let result = try Self.withParameters(values, types) { parameters in
            try answer { message in
                if let name {
                    cpostgres_run_prepared(connection, name, parameters, Self.timeout, message)
                } else {
                    cpostgres_run(connection, statement.sql, parameters, Self.timeout, message)
                }
            }
        }
        defer { cpostgres_free(result) }
        return try Self.contents(of: result)
    }

    func lastID(of table: String) throws -> Int64? {
        try value(
            Int64.self,
            """
            SELECT last_value FROM pg_sequences
            WHERE schemaname = current_schema() AND sequencename = lower(:table) || '_id_seq'
            """,
            ["table": table]
        )
    }

    func assignIDs(after id: Int64, in table: String) throws {
        _ = try value(
            Int64.self,
            "SELECT setval(pg_get_serial_sequence(lower(:table), 'id'), :id)",
            ["table": table, "id": id]
        )
    }

    private func parsed(_ sql: String) -> PostgresStatement {
        if let statement = statements.parsed[sql] { return statement }
        let statement = PostgresStatement(sql)
        statements.parsed[sql] = statement
        return statement
    }

    /// The name of a prepared statement.
    private func prepare(_ sql: String, _ types: [UInt32]) throws -> String {
        let key = PreparedStatements.Key(sql: sql, types: types)
        if let name = statements.names[key] { return name }
        if statements.names.count >= PreparedStatements.limit {
            try execute("DEALLOCATE ALL")
            statements.names = [:]
        }
        let name = "s\(statements.names.count)"
        let result = try Self.withParameters(types.map { _ in .null }, types) { parameters in
            try answer { cpostgres_prepare(connection, name, sql, parameters, Self.timeout, $0) }
        }
        cpostgres_free(result)
        statements.names[key] = name
        return name
    }

    /// Calls a body with values in PostgreSQL's format.
    private static func withParameters<Value>(
        _ values: [SQLValue],
        _ types: [UInt32],
        _ body: (UnsafePointer<CPostgresParameters>) throws -> Value
    ) rethrows -> Value {
        var bytes: [UInt8] = []
        var starts: [Int] = []
        for value in values {
            starts.append(bytes.count)
            PostgresValue.append(value, to: &bytes)
        }
        let ends = starts.dropFirst() + [bytes.count]
        let lengths = zip(starts, ends).map { Int32($1 - $0) }
        // An empty text also needs an address.
        bytes.append(0)
        return try bytes.withUnsafeBytes { bytes in
            let pointers = zip(values, starts).map { value, start in
                value == .null ? nil : bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
            }
            let formats = values.map { _ in Int32(1) }
            return try types.withUnsafeBufferPointer { types in
                try pointers.withUnsafeBufferPointer { pointers in
                    try lengths.withUnsafeBufferPointer { lengths in
                        try formats.withUnsafeBufferPointer { formats in
                            var parameters = CPostgresParameters(
                                count: Int32(values.count),
                                types: types.baseAddress,
                                values: pointers.baseAddress,
                                lengths: lengths.baseAddress,
                                formats: formats.baseAddress
                            )
                            return try body(&parameters)
                        }
                    }
                }
            }
        }
    }

    private static func contents(of result: OpaquePointer) throws -> SQLResult {
        let columns = 0..<cpostgres_column_count(result)
        let names = columns.map { String(cString: cpostgres_column_name(result, $0)) }
        let types = columns.map { cpostgres_column_type(result, $0) }
        let rows = try (0..<cpostgres_row_count(result)).map { row in
            SQLRow(
                names: names,
                values: try columns.map { column in
                    if cpostgres_is_null(result, row, column) { return .null }
                    var count: Int32 = 0
                    let start = cpostgres_value(result, row, column, &count)
                    let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
                    guard let value = PostgresValue.value(bytes, type: types[Int(column)]) else {
                        throw HubError(
                            .internal,
                            "A query returned the column \(names[Int(column)]) with the type \(types[Int(column)]), which the hub does not read; please report this."
                        )
                    }
                    return value
                }
            )
        }
        return SQLResult(rows: rows, changeCount: Int(String(cString: cpostgres_change_count(result))) ?? 0)
    }
}
