/// The tables of people, credentials and roles.
extension HubSchema {
    static let access = """
        CREATE TABLE person (
            address {text} PRIMARY KEY,
            createTime {int} NOT NULL
        ) {keyed};

        CREATE TABLE credential (
            id {text} PRIMARY KEY,
            project {text} REFERENCES project ON DELETE CASCADE,
            person {text} REFERENCES person ON DELETE CASCADE,
            kind {text} NOT NULL,
            role {text} NOT NULL,
            name {text} NOT NULL,
            secretHash {bytes} UNIQUE,
            publicKey {text},
            -- The credential that created this one.
            parent {text},
            createTime {int} NOT NULL,
            expiry {int},
            useTime {int},
            revokeTime {int}
        );
        CREATE INDEX credentialOfProject ON credential (project, createTime);
        CREATE INDEX credentialOfPerson ON credential (person);
        CREATE INDEX credentialOfParent ON credential (parent);

        -- A role in a project, or in the whole hub.
        CREATE TABLE membership (
            person {text} NOT NULL REFERENCES person ON DELETE CASCADE,
            project {text} REFERENCES project ON DELETE CASCADE,
            role {text} NOT NULL,
            displayName {text} NOT NULL,
            createTime {int} NOT NULL,
            expiry {int},
            -- The credential that granted the role.
            credential {text} REFERENCES credential ON DELETE CASCADE
        );
        CREATE UNIQUE INDEX membershipOfPerson ON membership (person, coalesce(project, ''));
        CREATE INDEX membershipOfProject ON membership (project);
        CREATE INDEX membershipOfCredential ON membership (credential);
        """
}
