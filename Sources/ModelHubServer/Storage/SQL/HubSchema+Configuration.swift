/// The tables of Remote Config and of experiments.
extension HubSchema {
    static let configurationTables = """
        CREATE TABLE configTemplate (
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            namespace TEXT NOT NULL,
            version INTEGER NOT NULL,
            etag TEXT NOT NULL,
            updateTime INTEGER NOT NULL,
            updateUser TEXT NOT NULL,
            updateOrigin TEXT NOT NULL,
            updateType TEXT NOT NULL,
            description TEXT NOT NULL,
            rollbackSource INTEGER,
            template TEXT NOT NULL,
            PRIMARY KEY (project, namespace, version)
        );

        CREATE TABLE experiment (
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            id TEXT NOT NULL,
            parameter TEXT NOT NULL,
            condition TEXT,
            variants TEXT NOT NULL,
            exposurePercent REAL NOT NULL,
            startTime INTEGER NOT NULL,
            stopTime INTEGER,
            winner TEXT,
            PRIMARY KEY (project, id)
        );

        -- What was reported of a variant and model in all. Sums of squares and products are over installations, of what each
        -- of them reported in all: n is a number of results, x their sum.
        CREATE TABLE outcome (
            project TEXT NOT NULL,
            experiment TEXT NOT NULL,
            variant TEXT NOT NULL,
            model TEXT NOT NULL,
            metric TEXT NOT NULL,
            installations INTEGER NOT NULL,
            count INTEGER NOT NULL,
            sum REAL NOT NULL,
            squares REAL NOT NULL,
            sumNN REAL NOT NULL,
            sumXX REAL NOT NULL,
            sumNX REAL NOT NULL,
            histogram TEXT NOT NULL,
            PRIMARY KEY (project, experiment, variant, model, metric),
            FOREIGN KEY (project, experiment) REFERENCES experiment ON DELETE CASCADE
        ) WITHOUT ROWID;

        -- What each installation reported in all; installations by a hash.
        CREATE TABLE outcomeOfInstallation (
            project TEXT NOT NULL,
            experiment TEXT NOT NULL,
            variant TEXT NOT NULL,
            model TEXT NOT NULL,
            metric TEXT NOT NULL,
            installation BLOB NOT NULL,
            count INTEGER NOT NULL,
            sum REAL NOT NULL,
            PRIMARY KEY (project, experiment, variant, model, metric, installation),
            FOREIGN KEY (project, experiment) REFERENCES experiment ON DELETE CASCADE
        ) WITHOUT ROWID;

        -- Batches that were added, so that none is twice.
        CREATE TABLE outcomeBatch (
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            id TEXT NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (project, id)
        ) WITHOUT ROWID;
        CREATE INDEX outcomeBatchByTime ON outcomeBatch (time);
        """
}
