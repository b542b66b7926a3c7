/// The tables of models, their versions, and what happened to them.
extension HubSchema {
    static let models = """
        CREATE TABLE model (
            id {id},
            project {text} NOT NULL REFERENCES project,
            displayName {text} NOT NULL,
            tags {text} NOT NULL,
            createTime {int} NOT NULL,
            updateTime {int} NOT NULL,
            etag {text} NOT NULL,
            isPublished {bool} NOT NULL,
            objectURI {text},
            autoML {text},
            errorCode {int},
            errorMessage {text},
            -- The served version.
            version {int},
            hash {text},
            size {int},
            confidenceThreshold {real},
            warning {text},
            aliases {text} NOT NULL DEFAULT '{}',
            card {text} NOT NULL DEFAULT '{}',
            UNIQUE (project, displayName)
        );
        {firstModel};
        CREATE INDEX modelOfProject ON model (project, id);
        CREATE INDEX modelByState ON model (project, isPublished, id);
        -- Sorting by lower() instead of a collation, which every database has.
        CREATE INDEX modelByName ON model (project, lower(displayName), id);
        CREATE INDEX modelByUpdate ON model (project, updateTime);

        CREATE TABLE tag (
            project {text} NOT NULL,
            tag {text} NOT NULL,
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            PRIMARY KEY (project, tag, model)
        ) {keyed};
        CREATE INDEX tagOfModel ON tag (model);

        CREATE TABLE version (
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            number {int} NOT NULL,
            hash {text} NOT NULL,
            size {int} NOT NULL,
            createTime {int} NOT NULL,
            source {text} NOT NULL,
            inspection {text} NOT NULL,
            warning {text},
            confidenceThreshold {real},
            actor {text} NOT NULL DEFAULT '',
            notes {text} NOT NULL DEFAULT '',
            PRIMARY KEY (model, number)
        ) {keyed};
        CREATE INDEX versionOfHash ON version (hash);

        -- What a key signed for the clients of an alias.
        CREATE TABLE manifest (
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            alias {text} NOT NULL,
            hash {text} NOT NULL,
            serial {int} NOT NULL,
            credential {text} NOT NULL REFERENCES credential ON DELETE CASCADE,
            expiry {int} NOT NULL,
            -- The manifest with its signature, as it is served.
            content {bytes} NOT NULL,
            PRIMARY KEY (model, alias, hash)
        ) {keyed};
        CREATE INDEX manifestOfCredential ON manifest (credential);
        CREATE INDEX manifestByExpiry ON manifest (expiry);

        CREATE TABLE modelDownload (
            model {int} PRIMARY KEY REFERENCES model ON DELETE CASCADE,
            count {int} NOT NULL
        );

        CREATE TABLE versionDownload (
            model {int} NOT NULL,
            number {int} NOT NULL,
            count {int} NOT NULL,
            PRIMARY KEY (model, number),
            FOREIGN KEY (model, number) REFERENCES version ON DELETE CASCADE
        ) {keyed};

        CREATE TABLE modelDay (
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            -- The number of days since 1970, in UTC.
            day {int} NOT NULL,
            downloads {int} NOT NULL DEFAULT 0,
            -- Reported results, and the latencies among the reports with their sum in milliseconds.
            results {int} NOT NULL DEFAULT 0,
            latencies {int} NOT NULL DEFAULT 0,
            milliseconds {real} NOT NULL DEFAULT 0,
            PRIMARY KEY (model, day)
        ) {keyed};
        CREATE INDEX modelDayByDay ON modelDay (day);
        """
}
