/// The tables of versions that are looked at before they are served.
extension HubSchema {
    static let versions = Migration(
        "11: thresholds of versions, aliases, downloads of versions",
        sqlite: """
            ALTER TABLE version ADD COLUMN confidenceThreshold REAL;
            ALTER TABLE version ADD COLUMN actor TEXT NOT NULL DEFAULT '';
            ALTER TABLE model ADD COLUMN aliases TEXT NOT NULL DEFAULT '{}';
            ALTER TABLE evaluation ADD COLUMN servedVersion INTEGER;
            ALTER TABLE evaluation ADD COLUMN servedHash TEXT;
            ALTER TABLE evaluation ADD COLUMN comparison TEXT;
            CREATE TABLE versionDownload (
                model INTEGER NOT NULL,
                number INTEGER NOT NULL,
                count INTEGER NOT NULL,
                PRIMARY KEY (model, number),
                FOREIGN KEY (model, number) REFERENCES version ON DELETE CASCADE
            ) WITHOUT ROWID;
            \(thresholds)
            """,
        postgres: """
            ALTER TABLE version ADD COLUMN confidenceThreshold DOUBLE PRECISION;
            ALTER TABLE version ADD COLUMN actor TEXT COLLATE "C" NOT NULL DEFAULT '';
            ALTER TABLE model ADD COLUMN aliases TEXT COLLATE "C" NOT NULL DEFAULT '{}';
            ALTER TABLE evaluation ADD COLUMN servedVersion BIGINT;
            ALTER TABLE evaluation ADD COLUMN servedHash TEXT COLLATE "C";
            ALTER TABLE evaluation ADD COLUMN comparison TEXT COLLATE "C";
            CREATE TABLE versionDownload (
                model BIGINT NOT NULL,
                number BIGINT NOT NULL,
                count BIGINT NOT NULL,
                PRIMARY KEY (model, number),
                FOREIGN KEY (model, number) REFERENCES version ON DELETE CASCADE
            );
            \(thresholds)
            """
    )

    /// Until then, the threshold of a model held for each version that it served.
    private static let thresholds = """
        UPDATE version SET confidenceThreshold = (
            SELECT model.confidenceThreshold FROM model WHERE model.id = version.model);
        """
}
