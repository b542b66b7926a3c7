/// A transaction of a ``SQLDatabase``. Statements have parameters `:name`.
protocol SQLTransaction {
    /// Executes a statement.
    ///
    /// - Parameters:
    ///   - sql: The statement, in the SQL that SQLite and PostgreSQL have in common.
    ///   - columns: The values of its parameters; others are ignored.
    ///   - isReused: Whether to keep the parsed statement. False if clients determine its text.
    func run(_ sql: String, _ columns: Columns, isReused: Bool) throws -> SQLResult

    /// The last id that the database assigned in a table; nil if it assigned none.
    func lastID(of table: String) throws -> Int64?
    /// Makes the database assign greater ids than this one in a table.
    func assignIDs(after id: Int64, in table: String) throws

    /// Sends a change of a project's records to all hubs, once the transaction took effect.
    func announceChange(of project: String)
}

/// The result of a statement.
struct SQLResult: Sendable {
    /// The rows of a query, or those that `RETURNING` returns.
    var rows: [SQLRow] = []
    /// The number of rows that the statement inserted, changed or deleted.
    var changeCount = 0
}

extension SQLTransaction {
    /// Executes a statement with parameters `:name`.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult func change(_ sql: String, _ columns: Columns = [:]) throws -> Int {
        try run(sql, columns, isReused: true).changeCount
    }

    /// Inserts a row.
    ///
    /// - Parameters:
    ///   - columns: All columns with a value.
    ///   - table: The name of the table.
    ///   - conflict: A clause such as `ON CONFLICT DO NOTHING`.
    /// - Returns: The number of inserted or changed rows.
    @discardableResult func insert(_ columns: Columns, into table: String, _ conflict: String = "") throws -> Int {
        try change("\(Self.insertion(of: columns, into: table)) \(conflict)", columns)
    }

    /// Inserts a row.
    ///
    /// - Returns: The id that the database assigned.
    func insertNew(_ columns: Columns, into table: String) throws -> Int64 {
        let insertion = "\(Self.insertion(of: columns, into: table)) RETURNING id"
        guard let id = try value(Int64.self, insertion, columns) else {
            throw HubError(.internal, "An insertion into \(table) returned no id; please report this.")
        }
        return id
    }

    /// Changes rows.
    ///
    /// - Parameters:
    ///   - table: The name of the table.
    ///   - columns: The changed columns.
    ///   - condition: A condition with parameters `:name`.
    ///   - key: The parameters of the condition, with names other than those of changed columns.
    /// - Returns: The number of changed rows.
    @discardableResult func update(
        _ table: String,
        set columns: Columns,
        where condition: String,
        _ key: Columns
    ) throws -> Int {
        let changes = columns.names.map { "\($0) = :\($0)" }.joined(separator: ", ")
        return try change("UPDATE \(table) SET \(changes) WHERE \(condition)", columns.merging(key))
    }

    /// The rows of a query with parameters `:name`.
    ///
    /// - Parameter isReused: Whether to keep the parsed statement. False if clients determine its text.
    func rows(_ sql: String, _ columns: Columns = [:], isReused: Bool = true) throws -> [SQLRow] {
        try run(sql, columns, isReused: isReused).rows
    }

    /// The first row of a query with parameters `:name`.
    func row(_ sql: String, _ columns: Columns = [:]) throws -> SQLRow? { try rows(sql, columns).first }

    /// The value in the first row and column of a query with parameters `:name`.
    func value<Value: SQLConvertible>(_ type: Value.Type, _ sql: String, _ columns: Columns = [:]) throws -> Value? {
        try row(sql, columns).flatMap { row in try row.names.first.flatMap { try row[$0] } }
    }

    private static func insertion(of columns: Columns, into table: String) -> String {
        let parameters = columns.names.map { ":\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.names.joined(separator: ", "))) VALUES (\(parameters))"
    }
}
