import GRDB

extension SQLiteMetadataStore {
    func usage(of project: String) async throws -> ProjectUsage {
        try await pool.read { db in try Self.usage(of: project, db) }
    }

    private static func usage(of project: String, _ db: Database) throws -> ProjectUsage {
        let row = try Row.fetchOne(db, sql: usage, arguments: ["project": project, "record": ProjectUsage.recordSize])
        return ProjectUsage(byteCount: row?["byteCount"] ?? 0, quota: row?["quota"])
    }

    /// Throws an error if a project would exceed its quota after a transaction.
    static func checkQuota(of project: String, _ db: Database) throws {
        let quota = try Int.fetchOne(db, sql: "SELECT quota FROM project WHERE id = ?", arguments: [project])
        // Most projects have no quota, and adding up takes a while.
        guard quota != nil else { return }
        try usage(of: project, db).check(of: project)
    }

    private static let usage = """
        WITH file AS (
            SELECT version.hash, version.size FROM model JOIN version ON version.model = model.id
            WHERE model.project = :project
            UNION ALL SELECT hash, size FROM object WHERE project = :project)
        SELECT
            (SELECT quota FROM project WHERE id = :project) AS quota,
            (SELECT coalesce(sum(size), 0) FROM (SELECT max(size) AS size FROM file GROUP BY hash))
                + (SELECT count(*) FROM file) * :record
                + (SELECT coalesce(sum(byteCount), 0) FROM evaluation WHERE project = :project) AS byteCount
        """
}
