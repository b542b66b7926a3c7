/// Copies the rows of all tables from a hub's database into another hub's database.
///
/// Both transactions end after the copy, so that it has a single state of the source and exists completely or not at all.
enum RecordCopy {
    /// The number of rows that are read at once.
    private static let pageSize = 500

    /// The error for a target that is in use.
    static let targetHasProjects = HubError(
        .alreadyExists,
        "The target already has a hub with projects; name an empty folder or database, or remove that hub."
    )

    /// Copies all rows.
    ///
    /// - Throws: `.alreadyExists` if the target has a project.
    static func run(from source: any SQLTransaction, to target: any SQLTransaction) throws {
        guard try target.row("SELECT id FROM project LIMIT 1") == nil else {
            throw targetHasProjects
        }
        // A hub without projects has settings, such as its key.
        for table in HubSchema.copiedTables.reversed() { try target.change("DELETE FROM \(table.name)") }
        for table in HubSchema.copiedTables { try copy(table, from: source, to: target) }
    }

    private static func copy(_ table: SQLTable, from source: any SQLTransaction, to target: any SQLTransaction) throws {
        let key = table.key.map { table.optionalKey.contains($0) ? "coalesce(\($0), '')" : $0 }.joined(separator: ", ")
        let last = table.key.map { ":\($0)" }.joined(separator: ", ")
        var condition = ""
        var place: Columns = ["limit": pageSize]
        while true {
            let rows = try source.rows("SELECT * FROM \(table.name) \(condition) ORDER BY \(key) LIMIT :limit", place)
            for row in rows { try target.insert(try columns(of: row, in: table), into: table.name) }
            guard rows.count == pageSize, let row = rows.last else { break }
            condition = "WHERE (\(key)) > (\(last))"
            for name in table.key { place[name] = try row[name] as SQLValue? ?? .text("") }
        }
        guard table.assignsIDs else { return }
        let greatest = try target.value(Int64.self, "SELECT max(id) FROM \(table.name)")
        let assigned = table.keepsNewest ? nil : try source.lastID(of: table.name)
        if let id = [assigned, greatest].compactMap({ $0 }).max() {
            try target.assignIDs(after: id, in: table.name)
        }
    }

    /// The values of a row for another database.
    private static func columns(of row: SQLRow, in table: SQLTable) throws -> Columns {
        var columns: Columns = [:]
        for (name, value) in zip(row.names, row.values) { columns[name] = value }
        for name in table.truthValues {
            // PostgreSQL returns names in lower case.
            let found = row.names.first { $0.lowercased() == name.lowercased() } ?? name
            columns[found] = try row[name] as Bool?
        }
        return columns
    }
}
