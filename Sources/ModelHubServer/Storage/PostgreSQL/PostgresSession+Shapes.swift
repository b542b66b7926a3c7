extension TableShapes {
    /// The tables of a PostgreSQL database.
    init(_ session: PostgresSession) throws {
        self.init()
        let words = [
            "text": "TEXT", "bigint": "INTEGER", "boolean": "INTEGER", "double precision": "REAL", "bytea": "BLOB",
        ]
        let ofHub = "t.relkind = 'r' AND t.relnamespace = to_regnamespace(CAST(current_schema() AS text))"
        let columns = try session.rows(
            """
            SELECT CAST(t.relname AS text) AS tableName, CAST(a.attname AS text) AS name, format_type(a.atttypid, NULL) AS type,
                a.attnotnull AS isRequired,
                EXISTS (SELECT 1 FROM pg_index AS x
                    WHERE x.indrelid = t.oid AND x.indisprimary AND a.attnum = ANY (x.indkey)) AS isKey
            FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE \(ofHub)
            """
        )
        for row in columns {
            let type: String = try row["type"]
            try add(
                column: row["name"],
                of: row["tableName"],
                Column(
                    type: words[type] ?? type,
                    isOptional: !(row["isRequired"] as Bool),
                    isInPrimaryKey: row["isKey"]
                )
            )
        }
        let indexes = try session.rows(
            """
            SELECT CAST(t.relname AS text) AS tableName, CAST(i.relname AS text) AS name, x.indisunique AS isUnique,
                x.indpred IS NOT NULL AS isPartial,
                EXISTS (SELECT 1 FROM pg_constraint AS c WHERE c.conindid = i.oid AND c.contype = 'u') AS isOfConstraint,
                array_to_string(ARRAY(
                    SELECT coalesce(CAST(a.attname AS text), '') FROM unnest(CAST(x.indkey AS int2[])) WITH ORDINALITY AS k (number, place)
                    LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0
                    ORDER BY k.place), ',') AS columns
            FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
            WHERE NOT x.indisprimary AND \(ofHub)
            """
        )
        for row in indexes {
            try add(
                index: row["isOfConstraint"] ? nil : row["name"],
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
