/// The columns and indexes of a database's tables, as far as all databases describe them alike.
///
/// Names are in lower case, as PostgreSQL keeps them.
struct TableShapes: Sendable, Equatable {
    struct Column: Sendable, Equatable {
        /// SQLite's word for the type.
        var type: String
        var isOptional: Bool
        var isInPrimaryKey: Bool
    }

    struct Index: Sendable, Equatable {
        /// The columns in order; an empty text for an expression.
        var columns: [String]
        var isUnique: Bool
        /// Whether the index has a condition.
        var isPartial: Bool

        /// - Parameter columns: The columns with commas between them.
        init(columns: String, isUnique: Bool, isPartial: Bool) {
            self.columns = columns.lowercased().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            self.isUnique = isUnique
            self.isPartial = isPartial
        }
    }

    struct Table: Sendable, Equatable {
        var columns: [String: Column] = [:]
        /// The indexes by name; those of a constraint `UNIQUE` by their columns.
        var indexes: [String: Index] = [:]
    }

    var tables: [String: Table] = [:]

    mutating func add(column: String, of table: String, _ description: Column) {
        tables[table.lowercased(), default: Table()].columns[column.lowercased()] = description
    }

    /// - Parameter name: The name; nil for the index of a constraint.
    mutating func add(index name: String?, of table: String, _ description: Index) {
        let key = name?.lowercased() ?? "of (\(description.columns.joined(separator: ", ")))"
        tables[table.lowercased(), default: Table()].indexes[key] = description
    }

    /// The differences from the tables of a hub, a few words each. Tables that the hub does not have are ignored, because other
    /// programs may keep their own beside them.
    func differences(from expected: TableShapes) -> [String] {
        expected.tables.sorted { $0.key < $1.key }.flatMap { name, table -> [String] in
            guard let found = tables[name] else { return ["the table \(name) is missing"] }
            return Self.differences("column", of: name, found.columns, table.columns)
                + Self.differences("index", of: name, found.indexes, table.indexes)
        }
    }

    private static func differences<Value: Equatable>(
        _ kind: String,
        of table: String,
        _ found: [String: Value],
        _ expected: [String: Value]
    ) -> [String] {
        Set(found.keys).union(expected.keys).sorted().compactMap { name in
            switch (found[name], expected[name]) {
            case (nil, _): "the table \(table) lacks the \(kind) \(name)"
            case (_, nil): "the table \(table) has an unknown \(kind) \(name)"
            case (let found, let expected):
                found == expected ? nil : "the \(kind) \(name) of the table \(table) is another"
            }
        }
    }

    /// Refuses a database whose tables differ from those that its migrations make.
    ///
    /// - Parameters:
    ///   - expected: The tables that the migrations make.
    ///   - database: The database in words.
    ///   - version: The name of its last migration.
    func check(against expected: TableShapes, of database: String, version: String) throws(HubError) {
        let differences = differences(from: expected)
        guard let first = differences.first else { return }
        let others = differences.count > 1 ? " (and \(differences.count - 1) more)" : ""
        throw HubError(
            .failedPrecondition,
            "The tables of \(database) are not those of version \(version): \(first)\(others); use the build of the hub that made them, or restore a backup of this version."
        )
    }
}
