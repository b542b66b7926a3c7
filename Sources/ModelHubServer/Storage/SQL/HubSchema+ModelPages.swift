/// What the pages of models show: cards, notes of versions, and counts by day.
extension HubSchema {
    static let modelPages = Migration(
        "15: cards of models, notes of versions, counts by day",
        sqlite: """
            ALTER TABLE model ADD COLUMN card TEXT NOT NULL DEFAULT '{}';
            ALTER TABLE version ADD COLUMN notes TEXT NOT NULL DEFAULT '';
            CREATE TABLE modelDay (
                model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
                -- The number of days since 1970, in UTC.
                day INTEGER NOT NULL,
                downloads INTEGER NOT NULL DEFAULT 0,
                -- Reported results, and the latencies among the reports with their sum in milliseconds.
                results INTEGER NOT NULL DEFAULT 0,
                latencies INTEGER NOT NULL DEFAULT 0,
                milliseconds REAL NOT NULL DEFAULT 0,
                PRIMARY KEY (model, day)
            ) WITHOUT ROWID;
            CREATE INDEX modelDayByDay ON modelDay (day);
            """,
        postgres: """
            ALTER TABLE model ADD COLUMN card TEXT COLLATE "C" NOT NULL DEFAULT '{}';
            ALTER TABLE version ADD COLUMN notes TEXT COLLATE "C" NOT NULL DEFAULT '';
            CREATE TABLE modelDay (
                model BIGINT NOT NULL REFERENCES model ON DELETE CASCADE,
                -- The number of days since 1970, in UTC.
                day BIGINT NOT NULL,
                downloads BIGINT NOT NULL DEFAULT 0,
                -- Reported results, and the latencies among the reports with their sum in milliseconds.
                results BIGINT NOT NULL DEFAULT 0,
                latencies BIGINT NOT NULL DEFAULT 0,
                milliseconds DOUBLE PRECISION NOT NULL DEFAULT 0,
                PRIMARY KEY (model, day)
            );
            CREATE INDEX modelDayByDay ON modelDay (day);
            """
    )
}
