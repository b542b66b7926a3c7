/// The tables of files and uploads.
extension HubSchema {
    static let files = """
        CREATE TABLE object (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            bucket {text} NOT NULL,
            name {text} NOT NULL,
            hash {text} NOT NULL,
            size {int} NOT NULL,
            crc32c {text} NOT NULL,
            md5 {text} NOT NULL,
            contentType {text} NOT NULL,
            createTime {int} NOT NULL,
            -- A client that lost the last response requests the upload again.
            upload {text},
            PRIMARY KEY (project, bucket, name)
        ) {keyed};
        CREATE INDEX objectOfHash ON object (hash);
        CREATE INDEX objectOfUpload ON object (upload) WHERE upload IS NOT NULL;

        CREATE TABLE upload (
            id {text} PRIMARY KEY,
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            bucket {text} NOT NULL,
            name {text} NOT NULL,
            contentType {text} NOT NULL,
            byteCount {int} NOT NULL,
            -- When it began, or when bytes last arrived.
            time {int} NOT NULL,
            -- Of the whole file, when all bytes have arrived.
            hash {text},
            crc32c {text},
            md5 {text}
        ) {keyed};
        CREATE INDEX uploadOfProject ON upload (project);
        CREATE INDEX uploadByTime ON upload (time);

        CREATE TABLE blob (
            hash {text} PRIMARY KEY,
            size {int} NOT NULL,
            -- When the file was last claimed or stored, or its removal began.
            time {int} NOT NULL,
            state {text} NOT NULL,
            claims {int} NOT NULL,
            -- When something last ceased to refer to the file.
            releaseTime {int}
        ) {keyed};
        CREATE INDEX blobByTime ON blob (time);
        """
}
