/// The tables of the hub.
enum HubSchema {
    static let migrations = [
        Migration(
            name: "0.1.0",
            statements: [projects, access, models, files, configuration, experiments, rollouts, console, webhooks]
                .joined(
                    separator: "\n"
                )
        ),
        Migration(name: "0.2.0", statements: [dataSets, shadows, drift].joined(separator: "\n")),
    ]

    /// The SHA-256 of the statements that SQLite keeps of the tables that all migrations make. A new migration changes it.
    static let sqliteTables = "dc3447dea84cf05f80f12e46732f7debc1c90c60aff26cee4634b2ff1488f826"

    private static let projects = """
        CREATE TABLE setting (key {text} PRIMARY KEY, value {bytes} NOT NULL) {keyed};

        CREATE TABLE project (
            id {text} PRIMARY KEY,
            number {int} NOT NULL UNIQUE,
            createTime {int} NOT NULL,
            quota {int},
            requiresInstallation {bool} NOT NULL
        );

        CREATE TABLE audit (
            id {id},
            time {int} NOT NULL,
            project {text} NOT NULL,
            actor {text} NOT NULL,
            action {text} NOT NULL,
            target {text} NOT NULL,
            detail {text} NOT NULL,
            -- The event of which webhooks notify.
            event {text},
            -- Counts the entries of the project; each has the hash of the one before.
            number {int} NOT NULL,
            previous {text} NOT NULL,
            hash {text} NOT NULL
        );
        CREATE UNIQUE INDEX auditOfProject ON audit (project, number);
        """
}
