/// The table of uploads in several requests.
extension HubSchema {
    static let uploadTable = """
        CREATE TABLE upload (
            id TEXT PRIMARY KEY,
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            bucket TEXT NOT NULL,
            name TEXT NOT NULL,
            contentType TEXT NOT NULL,
            byteCount INTEGER NOT NULL,
            -- When it began, or when bytes last arrived.
            time INTEGER NOT NULL,
            -- Of the whole file, when all bytes have arrived.
            hash TEXT,
            crc32c TEXT,
            md5 TEXT
        ) WITHOUT ROWID;
        CREATE INDEX uploadOfProject ON upload (project);
        CREATE INDEX uploadByTime ON upload (time);
        """

    static let postgresUploadTable = """
        CREATE TABLE upload (
            id TEXT COLLATE "C" PRIMARY KEY,
            project TEXT COLLATE "C" NOT NULL REFERENCES project ON DELETE CASCADE,
            bucket TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            contentType TEXT COLLATE "C" NOT NULL,
            byteCount BIGINT NOT NULL,
            -- When it began, or when bytes last arrived.
            time BIGINT NOT NULL,
            -- Of the whole file, when all bytes have arrived.
            hash TEXT COLLATE "C",
            crc32c TEXT COLLATE "C",
            md5 TEXT COLLATE "C"
        );
        CREATE INDEX uploadOfProject ON upload (project);
        CREATE INDEX uploadByTime ON upload (time);
        """
}
