import GRDB

/// The tables of the hub. A released migration never changes; later migrations follow it, with the next number.
enum HubSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: projects, credentials, models, objects, audit") { db in
            try db.execute(sql: tables)
        }
        migrator.registerMigration("2: confidence thresholds of models") { db in
            try db.execute(sql: "ALTER TABLE model ADD COLUMN confidenceThreshold REAL")
        }
        migrator.registerMigration("remote config, experiments and outcomes") { db in
            try db.execute(sql: configurationTables)
        }
        migrator.registerMigration("remote config: sizes of templates") { db in
            try db.execute(sql: "ALTER TABLE configTemplate ADD COLUMN byteCount INTEGER NOT NULL DEFAULT 0")
            try db.execute(sql: "UPDATE configTemplate SET byteCount = length(CAST(template AS BLOB))")
        }
        migrator.registerMigration("warnings of models that the hub cannot run") { db in
            for table in ["model", "version"] { try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN warning TEXT") }
        }
        registerConsole(in: &migrator)
        migrator.registerMigration("3: uploads in several requests") { db in
            // A client that lost the last response requests the upload again.
            try db.execute(sql: "ALTER TABLE object ADD COLUMN upload TEXT")
            try db.execute(sql: "CREATE INDEX objectOfUpload ON object (upload) WHERE upload IS NOT NULL")
        }
        migrator.registerMigration("9: states of stored files") { db in
            try db.execute(sql: blobTable)
        }
        registerPeople(in: &migrator)
        return migrator
    }

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
