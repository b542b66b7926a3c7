/// The tables of webhooks. The changes that they deliver are in the audit log.
extension HubSchema {
    static let webhooks = """
        CREATE TABLE webhook (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            id {text} NOT NULL,
            address {text} NOT NULL,
            secret {text} NOT NULL,
            -- The kinds of events, with spaces between them; empty for all.
            events {text} NOT NULL,
            createTime {int} NOT NULL,
            actor {text} NOT NULL,
            -- The last entry of the audit log that was delivered or left out.
            lastNumber {int} NOT NULL,
            failures {int} NOT NULL,
            -- When the next delivery may be tried.
            nextTime {int} NOT NULL,
            PRIMARY KEY (project, id)
        );

        -- The last results.
        CREATE TABLE webhookDelivery (
            project {text} NOT NULL,
            webhook {text} NOT NULL,
            number {int} NOT NULL,
            type {text} NOT NULL,
            time {int} NOT NULL,
            attempts {int} NOT NULL,
            -- The status of the answer; null without one.
            status {int},
            problem {text} NOT NULL,
            PRIMARY KEY (project, webhook, number),
            FOREIGN KEY (project, webhook) REFERENCES webhook ON DELETE CASCADE
        );
        """
}
