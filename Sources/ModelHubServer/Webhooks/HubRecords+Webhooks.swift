import Foundation
import ModelHubProtocol

/// Webhooks, and the results of their deliveries.
extension HubRecords {
    /// Adds a webhook, which is notified of changes from now on.
    ///
    /// - Throws: `.resourceExhausted` if the project has too many.
    func insert(_ webhook: Webhook, audit: AuditEntry) async throws -> Webhook {
        try await database.write(in: webhook.project) { db in
            let count = try db.value(
                Int.self,
                "SELECT count(*) FROM webhook WHERE project = :project",
                ["project": webhook.project]
            )
            guard count ?? 0 < Webhook.limit else {
                throw HubError(
                    .resourceExhausted,
                    "The project already has \(Webhook.limit) webhooks; remove one with `sightline hub webhook remove`."
                )
            }
            try Self.log(audit, db)
            var webhook = webhook
            webhook.lastNumber =
                try db.value(
                    Int.self,
                    "SELECT max(number) FROM audit WHERE project = :project",
                    ["project": webhook.project]
                ) ?? 0
            try db.insert(
                [
                    "project": webhook.project, "id": webhook.id, "address": webhook.address, "secret": webhook.secret,
                    "events": webhook.events.map(\.rawValue).joined(separator: " "),
                    "createTime": webhook.createTime.milliseconds, "actor": webhook.actor,
                    "lastNumber": webhook.lastNumber, "failures": 0, "nextTime": 0,
                ],
                into: "webhook"
            )
            return webhook
        }
    }

    /// The webhooks of a project, oldest first.
    func webhooks(of project: String) async throws -> [Webhook] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM webhook WHERE project = :project ORDER BY createTime, id",
                ["project": project]
            ).map(Self.webhook)
        }
    }

    /// The webhooks of all projects that have something to deliver, and may try; those of a project take no place of those of others.
    ///
    /// The last attempt may seem to lie ahead, after the clock was set back. So only one that failed delays the next, and by no more than a pause.
    func webhooks(dueAt time: Timestamp) async throws -> [Webhook] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM (
                    SELECT *, row_number() OVER (PARTITION BY project ORDER BY nextTime, id) AS place
                    FROM webhook WHERE (failures = 0 OR nextTime <= :time OR nextTime > :latest)
                    AND EXISTS (
                        SELECT 1 FROM audit WHERE audit.project = webhook.project AND audit.number > webhook.lastNumber)
                ) AS due
                ORDER BY place, nextTime, project, id LIMIT 200
                """,
                ["time": time.milliseconds, "latest": time.advanced(by: Webhook.longestPause).milliseconds]
            ).map(Self.webhook)
        }
    }

    /// Removes a webhook with its deliveries; false if there is none.
    func removeWebhook(_ id: String, of project: String, audit: AuditEntry) async throws -> Bool {
        try await database.write(in: project) { db in
            let count = try db.change(
                "DELETE FROM webhook WHERE project = :project AND id = :id",
                ["project": project, "id": id]
            )
            guard count == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    /// Delivers the changes from a number on to a webhook again; false if there is no such webhook.
    func repeatWebhook(_ id: String, of project: String, from number: Int, audit: AuditEntry) async throws -> Bool {
        try await database.write(in: project) { db in
            let count = try db.change(
                """
                UPDATE webhook SET lastNumber = :last, failures = 0, nextTime = 0
                WHERE project = :project AND id = :id AND lastNumber >= :last
                """,
                ["project": project, "id": id, "last": number - 1]
            )
            guard count == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    /// Records the state of a webhook after entries of the audit log.
    ///
    /// - Parameters:
    ///   - old: The webhook as it was read. If its place has changed meanwhile, only the delivery is recorded.
    ///   - new: The webhook with its new place, failures and time.
    ///   - delivery: The delivery of the last of these entries; nil if none was delivered.
    func advance(_ old: Webhook, to new: Webhook, _ delivery: WebhookDelivery?) async throws {
        try await database.write(in: old.project) { db in
            let key: Columns = ["project": old.project, "id": old.id]
            guard try db.row("SELECT id FROM webhook WHERE project = :project AND id = :id", key) != nil else { return }
            try db.change(
                """
                UPDATE webhook SET lastNumber = :last, failures = :failures, nextTime = :next
                WHERE project = :project AND id = :id AND lastNumber = :before
                """,
                key.merging([
                    "last": new.lastNumber, "failures": new.failures, "next": new.nextTime.milliseconds,
                    "before": old.lastNumber,
                ])
            )
            guard let delivery else { return }
            try db.insert(
                [
                    "project": old.project, "webhook": old.id, "number": delivery.number,
                    "type": delivery.event.rawValue,
                    "time": delivery.time.milliseconds, "attempts": delivery.attempts, "status": delivery.status,
                    "problem": delivery.problem,
                ],
                into: "webhookDelivery",
                """
                ON CONFLICT (project, webhook, number) DO UPDATE SET time = excluded.time,
                    attempts = webhookDelivery.attempts + 1, status = excluded.status, problem = excluded.problem
                """
            )
            try db.change(
                """
                DELETE FROM webhookDelivery WHERE project = :project AND webhook = :id AND number <= (
                    SELECT number FROM webhookDelivery WHERE project = :project AND webhook = :id
                    ORDER BY number DESC LIMIT 1 OFFSET :kept)
                """,
                key.merging(["kept": Webhook.keptDeliveries])
            )
        }
    }

    /// The kept deliveries of a webhook, newest first.
    func deliveries(of webhook: String, in project: String) async throws -> [WebhookDelivery] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM webhookDelivery WHERE project = :project AND webhook = :webhook ORDER BY number DESC",
                ["project": project, "webhook": webhook]
            ).compactMap { row in
                guard let event = WebhookEvent(rawValue: try row["type"]) else { return nil }
                return try WebhookDelivery(
                    number: row["number"],
                    event: event,
                    time: Timestamp(milliseconds: row["time"]),
                    attempts: row["attempts"],
                    status: row["status"],
                    problem: row["problem"]
                )
            }
        }
    }

    private static func webhook(_ row: SQLRow) throws -> Webhook {
        try Webhook(
            id: row["id"],
            project: row["project"],
            address: row["address"],
            secret: row["secret"],
            events: (row["events"] as String).split(separator: " ").compactMap { WebhookEvent(rawValue: String($0)) },
            createTime: Timestamp(milliseconds: row["createTime"]),
            actor: row["actor"],
            lastNumber: row["lastNumber"],
            failures: row["failures"],
            nextTime: Timestamp(milliseconds: row["nextTime"])
        )
    }

    // MARK: - Expiry and quota notices

    /// Writes an entry of the audit log unless the project has one with its action and target since a time.
    func logOnce(_ entry: AuditEntry, since time: Timestamp) async throws {
        try await database.write(in: entry.project) { db in
            let known = try db.row(
                "SELECT id FROM audit WHERE project = :project AND action = :action AND target = :target AND time >= :time LIMIT 1",
                ["project": entry.project, "action": entry.action, "target": entry.target, "time": time.milliseconds]
            )
            if known == nil { try Self.log(entry, db) }
        }
    }
}
