import GRDB

/// Values by the name of their column or parameter, so that a statement names each value beside its column.
struct Columns: Sendable, ExpressibleByDictionaryLiteral {
    typealias Value = (any DatabaseValueConvertible & Sendable)?

    fileprivate private(set) var names: [String] = []
    fileprivate private(set) var values: [String: Value] = [:]

    init(dictionaryLiteral elements: (String, Value)...) {
        for (name, value) in elements { self[name] = value }
    }

    subscript(_ name: String) -> Value {
        get { values[name] ?? nil }
        set {
            if values[name] == nil { names.append(name) }
            values.updateValue(newValue, forKey: name)
        }
    }

    /// These columns and others.
    func merging(_ others: Columns) -> Columns {
        var all = self
        for name in others.names { all[name] = others[name] }
        return all
    }

    /// The values as parameters `:name`.
    var arguments: StatementArguments { StatementArguments(values.mapValues { $0 as (any DatabaseValueConvertible)? }) }
}

extension Database {
    /// Executes a statement with parameters `:name`.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult func change(_ sql: String, _ columns: Columns = [:]) throws -> Int {
        try cachedStatement(sql: sql).execute(arguments: columns.arguments)
        return changesCount
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
        let statement = try cachedStatement(sql: "\(Self.insertion(of: columns, into: table)) RETURNING id")
        guard let id = try Int64.fetchOne(statement, arguments: columns.arguments) else {
            throw DatabaseError(message: "an insertion into \(table) returned no id")
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
    func rows(_ sql: String, _ columns: Columns = [:]) throws -> [Row] {
        try Row.fetchAll(try cachedStatement(sql: sql), arguments: columns.arguments)
    }

    /// The first row of a query with parameters `:name`.
    func row(_ sql: String, _ columns: Columns = [:]) throws -> Row? {
        try Row.fetchOne(try cachedStatement(sql: sql), arguments: columns.arguments)
    }

    /// The first value of a query with parameters `:name`.
    func value<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        _ sql: String,
        _ columns: Columns = [:]
    ) throws -> Value? {
        try Value.fetchOne(try cachedStatement(sql: sql), arguments: columns.arguments)
    }

    private static func insertion(of columns: Columns, into table: String) -> String {
        let parameters = columns.names.map { ":\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.names.joined(separator: ", "))) VALUES (\(parameters))"
    }
}
