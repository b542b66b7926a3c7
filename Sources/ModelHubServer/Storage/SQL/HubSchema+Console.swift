/// The tables of the console.
extension HubSchema {
    static let evaluations = """
        CREATE TABLE evaluation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
            version INTEGER NOT NULL,
            hash TEXT NOT NULL,
            archiveName TEXT NOT NULL,
            byteCount INTEGER NOT NULL,
            actor TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            endTime INTEGER,
            state TEXT NOT NULL,
            message TEXT,
            pictureCount INTEGER,
            top1 REAL
        );
        CREATE INDEX evaluationOfModel ON evaluation (model);
        CREATE INDEX evaluationOfProject ON evaluation (project);
        """

    /// Until then, all evaluations were of labels.
    static let evaluationKinds = Migration(
        "14: kinds of evaluations",
        sqlite: "ALTER TABLE evaluation ADD COLUMN kind TEXT NOT NULL DEFAULT 'labels'",
        postgres: "ALTER TABLE evaluation ADD COLUMN kind TEXT COLLATE \"C\" NOT NULL DEFAULT 'labels'"
    )

    static let consoleTables = """
        CREATE TABLE consoleSession (
            idHash BLOB PRIMARY KEY,
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            credential TEXT REFERENCES credential ON DELETE CASCADE,
            role TEXT NOT NULL,
            actor TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            useTime INTEGER NOT NULL,
            notice TEXT
        ) WITHOUT ROWID;
        CREATE INDEX consoleSessionOfCredential ON consoleSession (credential);
        CREATE INDEX consoleSessionOfProject ON consoleSession (project);

        CREATE TABLE signInLink (
            codeHash BLOB PRIMARY KEY,
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            expiry INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX signInLinkOfProject ON signInLink (project);

        CREATE TABLE modelDownload (
            model INTEGER PRIMARY KEY REFERENCES model ON DELETE CASCADE,
            count INTEGER NOT NULL
        );

        CREATE INDEX modelByName ON model (project, displayName COLLATE NOCASE, id);
        CREATE INDEX modelByUpdate ON model (project, updateTime);
        """
}
