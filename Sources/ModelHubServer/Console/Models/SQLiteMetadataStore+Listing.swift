import Foundation
import GRDB

extension SQLiteMetadataStore {
    func modelListing(of project: String, _ query: ModelListQuery) async throws -> ModelListing {
        try await pool.read { db in
            var condition = "model.project = ?"
            var arguments = StatementArguments([project])
            if !query.text.isEmpty {
                // Names and tags are ASCII, so SQLite's lower() covers all of their letters.
                condition += """
                     AND (instr(lower(displayName), lower(?)) > 0
                        OR model.id IN (SELECT model FROM tag WHERE project = ? AND instr(lower(tag), lower(?)) > 0))
                    """
                arguments += [query.text, project, query.text]
            }
            switch query.state {
            case .published: condition += " AND isPublished"
            case .unpublished: condition += " AND NOT isPublished"
            case .invalid: condition += " AND errorCode IS NOT NULL"
            case nil: break
            }
            let order =
                switch query.order {
                case .name: "displayName COLLATE NOCASE, model.id"
                case .updated: "updateTime DESC, model.id DESC"
                case .downloads: "downloads DESC, displayName COLLATE NOCASE"
                }
            let total =
                try Int.fetchOne(db, sql: "SELECT count(*) FROM model WHERE project = ?", arguments: [project]) ?? 0
            let matches =
                try Int.fetchOne(db, sql: "SELECT count(*) FROM model WHERE \(condition)", arguments: arguments) ?? 0
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT model.*, coalesce(modelDownload.count, 0) AS downloads,
                        (SELECT count(*) FROM version WHERE version.model = model.id) AS versions
                    FROM model LEFT JOIN modelDownload ON modelDownload.model = model.id
                    WHERE \(condition) ORDER BY \(order) LIMIT ? OFFSET ?
                    """,
                arguments: arguments + [query.limit, query.offset]
            )
            return ModelListing(
                entries: rows.compactMap { row in
                    Self.model(row).map {
                        .init(model: $0, versionCount: row["versions"], downloadCount: row["downloads"])
                    }
                },
                matchCount: matches,
                totalCount: total
            )
        }
    }

    func addDownloads(_ counts: [Int64: Int]) async throws {
        try await pool.write { db in
            for (model, count) in counts {
                try db.execute(
                    sql: """
                        INSERT INTO modelDownload (model, count) SELECT id, :count FROM model WHERE id = :model
                        ON CONFLICT (model) DO UPDATE SET count = count + :count
                        """,
                    arguments: ["model": model, "count": count]
                )
            }
        }
    }

    func downloads(of model: Int64) async throws -> Int {
        try await pool.read { db in
            try Int.fetchOne(db, sql: "SELECT count FROM modelDownload WHERE model = ?", arguments: [model]) ?? 0
        }
    }
}
