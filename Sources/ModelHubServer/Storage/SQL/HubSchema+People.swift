/// The tables of people, and of credentials with an end.
///
/// A credential may now belong to a person or to the whole hub. Sessions and sign-in links end with the upgrade.
extension HubSchema {
    static let people = """
        DROP TABLE consoleSession;
        DROP TABLE signInLink;

        CREATE TABLE person (
            address TEXT PRIMARY KEY,
            createTime INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE newCredential (
            id TEXT PRIMARY KEY,
            project TEXT REFERENCES project ON DELETE CASCADE,
            person TEXT REFERENCES person ON DELETE CASCADE,
            kind TEXT NOT NULL,
            role TEXT NOT NULL,
            name TEXT NOT NULL,
            secretHash BLOB UNIQUE,
            publicKey TEXT,
            -- The credential that created this one.
            parent TEXT,
            createTime INTEGER NOT NULL,
            expiry INTEGER,
            useTime INTEGER,
            revokeTime INTEGER
        );
        INSERT INTO newCredential (id, project, kind, role, name, secretHash, publicKey, createTime, revokeTime)
            SELECT id, project, kind,
                CASE role WHEN 'read' THEN 'viewer' WHEN 'publish' THEN 'publisher' ELSE 'editor' END,
                name, secretHash, publicKey, createTime, revokeTime
            FROM credential;
        DROP TABLE credential;
        ALTER TABLE newCredential RENAME TO credential;
        CREATE INDEX credentialOfProject ON credential (project, createTime);
        CREATE INDEX credentialOfPerson ON credential (person);
        CREATE INDEX credentialOfParent ON credential (parent);

        -- A role in a project, or in the whole hub.
        CREATE TABLE membership (
            person TEXT NOT NULL REFERENCES person ON DELETE CASCADE,
            project TEXT REFERENCES project ON DELETE CASCADE,
            role TEXT NOT NULL,
            displayName TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            expiry INTEGER,
            -- The credential that granted the role.
            credential TEXT REFERENCES credential ON DELETE CASCADE
        );
        CREATE UNIQUE INDEX membershipOfPerson ON membership (person, coalesce(project, ''));
        CREATE INDEX membershipOfProject ON membership (project);
        CREATE INDEX membershipOfCredential ON membership (credential);

        CREATE TABLE consoleSession (
            idHash BLOB PRIMARY KEY,
            -- The shown project.
            project TEXT NOT NULL REFERENCES project ON DELETE CASCADE,
            person TEXT REFERENCES person ON DELETE CASCADE,
            credential TEXT REFERENCES credential ON DELETE CASCADE,
            role TEXT NOT NULL,
            -- The only project of the session.
            enclosure TEXT REFERENCES project ON DELETE CASCADE,
            actor TEXT NOT NULL,
            createTime INTEGER NOT NULL,
            useTime INTEGER NOT NULL,
            expiry INTEGER,
            notice TEXT
        ) WITHOUT ROWID;
        CREATE INDEX consoleSessionOfPerson ON consoleSession (person);
        CREATE INDEX consoleSessionOfCredential ON consoleSession (credential);
        CREATE INDEX consoleSessionOfProject ON consoleSession (project);

        CREATE TABLE signInLink (
            codeHash BLOB PRIMARY KEY,
            person TEXT REFERENCES person ON DELETE CASCADE,
            project TEXT REFERENCES project ON DELETE CASCADE,
            enclosure TEXT REFERENCES project ON DELETE CASCADE,
            role TEXT NOT NULL,
            credential TEXT REFERENCES credential ON DELETE CASCADE,
            sessionExpiry INTEGER,
            expiry INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX signInLinkOfPerson ON signInLink (person);
        """

    static let postgresPeople = """
        DROP TABLE consoleSession;
        DROP TABLE signInLink;

        CREATE TABLE person (
            address TEXT COLLATE "C" PRIMARY KEY,
            createTime BIGINT NOT NULL
        );

        ALTER TABLE credential
            ALTER COLUMN project DROP NOT NULL,
            ADD COLUMN person TEXT COLLATE "C" REFERENCES person ON DELETE CASCADE,
            -- The credential that created this one.
            ADD COLUMN parent TEXT COLLATE "C",
            ADD COLUMN expiry BIGINT,
            ADD COLUMN useTime BIGINT;
        UPDATE credential
            SET role = CASE role WHEN 'read' THEN 'viewer' WHEN 'publish' THEN 'publisher' ELSE 'editor' END;
        CREATE INDEX credentialOfPerson ON credential (person);
        CREATE INDEX credentialOfParent ON credential (parent);

        -- A role in a project, or in the whole hub.
        CREATE TABLE membership (
            person TEXT COLLATE "C" NOT NULL REFERENCES person ON DELETE CASCADE,
            project TEXT COLLATE "C" REFERENCES project ON DELETE CASCADE,
            role TEXT COLLATE "C" NOT NULL,
            displayName TEXT COLLATE "C" NOT NULL,
            createTime BIGINT NOT NULL,
            expiry BIGINT,
            -- The credential that granted the role.
            credential TEXT COLLATE "C" REFERENCES credential ON DELETE CASCADE
        );
        CREATE UNIQUE INDEX membershipOfPerson ON membership (person, coalesce(project, ''));
        CREATE INDEX membershipOfProject ON membership (project);
        CREATE INDEX membershipOfCredential ON membership (credential);

        CREATE TABLE consoleSession (
            idHash BYTEA PRIMARY KEY,
            -- The shown project.
            project TEXT COLLATE "C" NOT NULL REFERENCES project ON DELETE CASCADE,
            person TEXT COLLATE "C" REFERENCES person ON DELETE CASCADE,
            credential TEXT COLLATE "C" REFERENCES credential ON DELETE CASCADE,
            role TEXT COLLATE "C" NOT NULL,
            -- The only project of the session.
            enclosure TEXT COLLATE "C" REFERENCES project ON DELETE CASCADE,
            actor TEXT COLLATE "C" NOT NULL,
            createTime BIGINT NOT NULL,
            useTime BIGINT NOT NULL,
            expiry BIGINT,
            notice TEXT COLLATE "C"
        );
        CREATE INDEX consoleSessionOfPerson ON consoleSession (person);
        CREATE INDEX consoleSessionOfCredential ON consoleSession (credential);
        CREATE INDEX consoleSessionOfProject ON consoleSession (project);

        CREATE TABLE signInLink (
            codeHash BYTEA PRIMARY KEY,
            person TEXT COLLATE "C" REFERENCES person ON DELETE CASCADE,
            project TEXT COLLATE "C" REFERENCES project ON DELETE CASCADE,
            enclosure TEXT COLLATE "C" REFERENCES project ON DELETE CASCADE,
            role TEXT COLLATE "C" NOT NULL,
            credential TEXT COLLATE "C" REFERENCES credential ON DELETE CASCADE,
            sessionExpiry BIGINT,
            expiry BIGINT NOT NULL
        );
        CREATE INDEX signInLinkOfPerson ON signInLink (person);
        """
}
