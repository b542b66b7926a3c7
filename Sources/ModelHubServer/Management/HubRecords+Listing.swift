extension HubRecords {
    /// A page of the models of a project, with the total number.
    func modelListing(of project: String, _ query: ModelListQuery) async throws -> ModelListing {
        try await database.read { db in
            let key: Columns = ["project": project]
            var condition = "model.project = :project"
            if !query.text.isEmpty {
                // Names and tags are ASCII, so SQLite's lower() covers all of their letters.
                condition += """
                     AND (lower(displayName) LIKE :pattern ESCAPE '\\'
                        OR model.id IN (
                            SELECT model FROM tag WHERE project = :project AND lower(tag) LIKE :pattern ESCAPE '\\'))
                    """
            }
            switch query.state {
            case .published: condition += " AND isPublished"
            case .unpublished: condition += " AND NOT isPublished"
            case .invalid: condition += " AND errorCode IS NOT NULL"
            case nil: break
            }
            let order =
                switch query.order {
                case .name: "lower(displayName), model.id"
                case .updated: "updateTime DESC, model.id DESC"
                case .downloads: "downloads DESC, lower(displayName)"
                }
            let total = try db.value(Int.self, "SELECT count(*) FROM model WHERE project = :project", key)
            let parameters = key.merging(["pattern": Self.pattern(of: query.text)])
            let matches = try db.value(Int.self, "SELECT count(*) FROM model WHERE \(condition)", parameters)
            let rows = try db.rows(
                """
                SELECT model.*, coalesce(modelDownload.count, 0) AS downloads,
                    (SELECT count(*) FROM version WHERE version.model = model.id) AS versions,
                    (SELECT inspection FROM version WHERE version.model = model.id AND version.number = model.version)
                        AS inspection
                FROM model LEFT JOIN modelDownload ON modelDownload.model = model.id
                WHERE \(condition) ORDER BY \(order) LIMIT :limit OFFSET :offset
                """,
                parameters.merging(["limit": query.limit, "offset": query.offset])
            )
            return ModelListing(
                entries: try rows.compactMap { row in
                    try Self.model(row).map {
                        try .init(
                            model: $0,
                            versionCount: row["versions"],
                            downloadCount: row["downloads"],
                            inspection: row["inspection"]
                        )
                    }
                },
                matchCount: matches ?? 0,
                totalCount: total ?? 0
            )
        }
    }

    /// The pattern of texts that contain a text, ignoring case.
    private static func pattern(of text: String) -> String {
        let escaped = text.lowercased().map { "\\%_".contains($0) ? "\\\($0)" : "\($0)" }
        return "%\(escaped.joined())%"
    }
}
