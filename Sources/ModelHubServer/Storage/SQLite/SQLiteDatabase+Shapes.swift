import GRDB

extension TableShapes {
    /// The tables that migrations make in a new database.
    init(_ migrations: some Sequence<Migration>) throws {
        let queue = try DatabaseQueue()
        self = try queue.write { db in
            for migration in migrations { try db.execute(sql: SQLDialect.sqlite.statements(of: migration)) }
            return try TableShapes(db)
        }
        try queue.close()
    }

    /// The tables of a SQLite database.
    init(_ db: Database) throws {
        self.init()
        let columns = try Row.fetchCursor(
            db,
            sql: """
                SELECT t.name AS tableName, c.name, c.type, c."notnull" AS isRequired, c.pk > 0 AS isKey
                FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*'
                """
        )
        while let row = try columns.next() {
            let isKey: Bool = row["isKey"]
            add(
                column: row["name"],
                of: row["tableName"],
                Column(
                    type: (row["type"] as String).uppercased(),
                    isOptional: !isKey && !(row["isRequired"] as Bool),
                    isInPrimaryKey: isKey
                )
            )
        }
        let indexes = try Row.fetchCursor(
            db,
            sql: """
                SELECT t.name AS tableName, l.name, l."unique" AS isUnique, l.partial AS isPartial, l.origin,
                    (SELECT group_concat(column, ',') FROM (
                        SELECT coalesce(i.name, '') AS column FROM pragma_index_info(l.name) AS i ORDER BY i.seqno)) AS columns
                FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS l WHERE t.type = 'table' AND l.origin <> 'pk' AND t.name NOT GLOB 'sqlite_*'
                """
        )
        while let row = try indexes.next() {
            add(
                index: row["origin"] == "c" ? row["name"] : nil,
                of: row["tableName"],
                Index(
                    columns: row["columns"],
                    isUnique: row["isUnique"],
                    isPartial: row["isPartial"]
                )
            )
        }
    }
}
