/// The tables of the hub.
///
/// The first hub with PostgreSQL had the tables of the ninth migration, which creates them there.
enum HubSchema {
    static let migrations = [
        Migration("1: projects, credentials, models, objects, audit", sqlite: tables, postgres: ""),
        Migration(
            "2: confidence thresholds of models",
            sqlite: "ALTER TABLE model ADD COLUMN confidenceThreshold REAL",
            postgres: ""
        ),
        Migration("remote config, experiments and outcomes", sqlite: configurationTables, postgres: ""),
        Migration(
            "remote config: sizes of templates",
            sqlite: """
                ALTER TABLE configTemplate ADD COLUMN byteCount INTEGER NOT NULL DEFAULT 0;
                UPDATE configTemplate SET byteCount = length(CAST(template AS BLOB));
                """,
            postgres: ""
        ),
        Migration(
            "warnings of models that the hub cannot run",
            sqlite: """
                ALTER TABLE model ADD COLUMN warning TEXT;
                ALTER TABLE version ADD COLUMN warning TEXT;
                """,
            postgres: ""
        ),
        Migration("console 1: sessions, sign-in links, downloads", sqlite: consoleTables, postgres: ""),
        Migration("console 2: evaluations", sqlite: evaluations, postgres: ""),
        Migration(
            "3: uploads in several requests",
            // A client that lost the last response requests the upload again.
            sqlite: """
                ALTER TABLE object ADD COLUMN upload TEXT;
                CREATE INDEX objectOfUpload ON object (upload) WHERE upload IS NOT NULL;
                """,
            postgres: ""
        ),
        Migration("9: states of stored files", sqlite: blobTable, postgres: postgresTables),
        Migration("10: heartbeats of evaluations", "ALTER TABLE evaluation ADD COLUMN heartbeat BIGINT"),
        versions,
        Migration("12: people, roles, and keys with an end", sqlite: people, postgres: postgresPeople),
        Migration("13: uploads in several requests", sqlite: uploadTable, postgres: postgresUploadTable),
        evaluationKinds, modelPages,
    ]

    /// Files of versions and objects were stored before their records. Other files have no record until the next
    /// clean-up.
    private static let blobTable = """
        CREATE TABLE blob (
            hash TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            -- When the file was last claimed or stored, or its removal began.
            time INTEGER NOT NULL,
            state TEXT NOT NULL,
            claims INTEGER NOT NULL,
            -- When something last ceased to refer to the file.
            releaseTime INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX blobByTime ON blob (time);

        INSERT INTO blob (hash, size, time, state, claims, releaseTime)
            SELECT file.hash, max(file.size), max(file.createTime), 'stored', 0, max(released.time)
            FROM (SELECT hash, size, createTime FROM version UNION ALL SELECT hash, size, createTime FROM object) AS file
            LEFT JOIN released ON released.hash = file.hash
            GROUP BY file.hash;
        DROP TABLE released;

        -- Sorting by lower() instead of a collation, which every database has.
        DROP INDEX modelByName;
        CREATE INDEX modelByName ON model (project, lower(displayName), id);
        """

    /// Ids of models have at least eight digits, as in Firebase.
    private static let tables = """
        CREATE TABLE setting (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

        CREATE TABLE project (
            id TEXT PRIMARY KEY,
            number INTEGER NOT NULL UNIQUE,
            createTime INTEGER NOT NULL,
            quota INTEGER,
            requiresInstallation INTEGER NOT NULL
        );

        CREATE TABLE credential (
            id TEXT PRIMARY KEY,
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            kind TEXT NOT NULL,
            role TEXT NOT NULL,
            name TEXT NOT NULL,
            secretHash BLOB UNIQUE,
            publicKey TEXT,
            createTime INTEGER NOT NULL,
            revokeTime INTEGER
        );
        CREATE INDEX credentialOfProject ON credential (project, createTime);

        CREATE TABLE model (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project TEXT NOT NULL REFERENCES project,
            displayName TEXT NOT NULL,
            tags TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            updateTime INTEGER NOT NULL,
            etag TEXT NOT NULL,
            isPublished INTEGER NOT NULL,
            objectURI TEXT,
            autoML TEXT,
            errorCode INTEGER,
            errorMessage TEXT,
            version INTEGER,
            hash TEXT,
            size INTEGER,
            UNIQUE (project, displayName)
        );
        CREATE INDEX modelOfProject ON model (project, id);
        CREATE INDEX modelByState ON model (project, isPublished, id);
        INSERT INTO sqlite_sequence (name, seq) VALUES ('model', 10000000);

        CREATE TABLE tag (
            project TEXT NOT NULL,
            tag TEXT NOT NULL,
            model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
            PRIMARY KEY (project, tag, model)
        ) WITHOUT ROWID;
        CREATE INDEX tagOfModel ON tag (model);

        CREATE TABLE version (
            model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
            number INTEGER NOT NULL,
            hash TEXT NOT NULL,
            size INTEGER NOT NULL,
            createTime INTEGER NOT NULL,
            source TEXT NOT NULL,
            inspection TEXT NOT NULL,
            PRIMARY KEY (model, number)
        ) WITHOUT ROWID;
        CREATE INDEX versionOfHash ON version (hash);

        CREATE TABLE object (
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            bucket TEXT NOT NULL,
            name TEXT NOT NULL,
            hash TEXT NOT NULL,
            size INTEGER NOT NULL,
            crc32c TEXT NOT NULL,
            md5 TEXT NOT NULL,
            contentType TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            PRIMARY KEY (project, bucket, name)
        ) WITHOUT ROWID;
        CREATE INDEX objectOfHash ON object (hash);

        -- When something last ceased to refer to a file.
        CREATE TABLE released (hash TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;

        CREATE TABLE audit (
            id INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            project TEXT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            target TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        CREATE INDEX auditOfProject ON audit (project, id);
        """
}
