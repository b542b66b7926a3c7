/// The tables of the console.
extension HubSchema {
    static let console = """
        CREATE TABLE consoleSession (
            idHash {bytes} PRIMARY KEY,
            -- The shown project.
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            person {text} REFERENCES person ON DELETE CASCADE,
            credential {text} REFERENCES credential ON DELETE CASCADE,
            role {text} NOT NULL,
            -- The only project of the session.
            enclosure {text} REFERENCES project ON DELETE CASCADE,
            -- The groups of the provider that have roles, as JSON.
            providerGroups {text},
            -- The provider's names of the user and of its session, and the encrypted text for new tokens.
            providerSubject {text},
            providerSession {text},
            refreshToken {text},
            -- When a hub began to renew the session.
            renewTime {int},
            actor {text} NOT NULL,
            createTime {int} NOT NULL,
            useTime {int} NOT NULL,
            expiry {int},
            notice {text}
        ) {keyed};
        CREATE INDEX consoleSessionOfPerson ON consoleSession (person);
        CREATE INDEX consoleSessionOfCredential ON consoleSession (credential);
        CREATE INDEX consoleSessionOfProject ON consoleSession (project);
        CREATE INDEX consoleSessionOfSubject ON consoleSession (providerSubject);
        CREATE INDEX consoleSessionOfProviderSession ON consoleSession (providerSession);

        CREATE TABLE signInLink (
            codeHash {bytes} PRIMARY KEY,
            person {text} REFERENCES person ON DELETE CASCADE,
            project {text} REFERENCES project ON DELETE CASCADE,
            enclosure {text} REFERENCES project ON DELETE CASCADE,
            role {text} NOT NULL,
            credential {text} REFERENCES credential ON DELETE CASCADE,
            sessionExpiry {int},
            expiry {int} NOT NULL
        ) {keyed};
        CREATE INDEX signInLinkOfPerson ON signInLink (person);

        CREATE TABLE evaluation (
            id {id},
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            version {int} NOT NULL,
            hash {text} NOT NULL,
            kind {text} NOT NULL,
            archiveName {text} NOT NULL,
            byteCount {int} NOT NULL,
            actor {text} NOT NULL,
            createTime {int} NOT NULL,
            -- When a hub last said that it works on the evaluation, or will.
            heartbeat {int},
            endTime {int},
            state {text} NOT NULL,
            message {text},
            pictureCount {int},
            score {real},
            servedVersion {int},
            servedHash {text},
            comparison {text}
        );
        CREATE INDEX evaluationOfModel ON evaluation (model);
        CREATE INDEX evaluationOfProject ON evaluation (project);
        """
}
