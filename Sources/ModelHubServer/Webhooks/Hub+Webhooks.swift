import Foundation
import ModelHubProtocol

/// The actions of people on webhooks.
extension Hub {
    /// Adds a webhook, which is notified of changes from now on.
    ///
    /// - Parameters:
    ///   - address: An https or http address, on a host that the hub's operator allows.
    ///   - events: The names of events; empty for all.
    /// - Returns: The webhook, whose secret is shown this once.
    /// - Throws: `.invalidArgument` for another address or an unknown event; `.resourceExhausted` if the project has too many.
    package func addWebhook(
        _ address: String,
        events: [String],
        by caller: Caller
    ) async throws -> (webhook: Webhook, secret: String) {
        try caller.require(.owner)
        guard address.utf8.count <= 2048, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: address), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(percentEncoded: false), !host.isEmpty, url.user() == nil, url.password() == nil
        else {
            throw HubError(
                .invalidArgument,
                "The address \"\(address.prefix(80))\" is not of the form https://host/path; correct it, and put no user into it."
            )
        }
        guard options.webhookHosts.right(of: host) != nil else {
            throw HubError(
                .invalidArgument,
                "This hub sends nothing to \(host.prefix(80)); its operator can allow the host with --webhook-host."
            )
        }
        let kinds = try events.map { text in
            guard let event = WebhookEvent(rawValue: text) else {
                throw HubError(
                    .invalidArgument,
                    "\"\(text.prefix(40))\" is not an event; the events are "
                        + WebhookEvent.allCases.map(\.rawValue).joined(separator: ", ") + "."
                )
            }
            return event
        }
        var random = SystemRandomNumberGenerator()
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
        }
        let webhook = Webhook(
            id: digits(12),
            project: caller.project.id,
            address: address,
            secret: digits(64),
            events: kinds,
            createTime: now(),
            actor: caller.actor,
            lastNumber: 0,
            failures: 0,
            nextTime: Timestamp(milliseconds: 0)
        )
        let detail = "\(scheme)://\(host)" + (kinds.isEmpty ? "" : ", \(kinds.map(\.rawValue).joined(separator: " "))")
        let added = try await records.insert(
            webhook,
            audit: audit(caller, "webhook.create", Self.target(webhook.id, caller), detail)
        )
        return (added, webhook.secret)
    }

    /// The webhooks of a project, oldest first.
    package func webhooks(by caller: Caller) async throws -> [Webhook] {
        try caller.require(.editor)
        return try await records.webhooks(of: caller.project.id)
    }

    /// The last deliveries of a webhook, newest first.
    ///
    /// - Throws: `.notFound`.
    package func deliveries(ofWebhook id: String, by caller: Caller) async throws -> [WebhookDelivery] {
        guard try await webhooks(by: caller).contains(where: { $0.id == id }) else { throw Self.unknownWebhook(id) }
        return try await records.deliveries(of: id, in: caller.project.id)
    }

    /// Removes a webhook.
    ///
    /// - Throws: `.notFound`.
    package func removeWebhook(_ id: String, by caller: Caller) async throws {
        try caller.require(.owner)
        let entry = audit(caller, "webhook.remove", Self.target(id, caller))
        guard try await records.removeWebhook(id, of: caller.project.id, audit: entry) else {
            throw Self.unknownWebhook(id)
        }
    }

    /// Delivers the changes from a number of the audit log on to a webhook again.
    ///
    /// - Throws: `.notFound` if there is no such webhook, or it has not reached that number yet.
    package func repeatWebhook(_ id: String, from number: Int, by caller: Caller) async throws {
        try caller.require(.owner)
        let entry = audit(caller, "webhook.repeat", Self.target(id, caller), "from \(number)")
        guard number > 0,
            try await records.repeatWebhook(id, of: caller.project.id, from: number, audit: entry)
        else {
            throw HubError(
                .notFound,
                "The webhook \(id.prefix(40)) has not delivered change \(number) yet; `sightline hub webhook deliveries` shows its changes."
            )
        }
    }

    /// Sends a test event to a webhook at once, and waits for the answer. Its data is the entry of the audit log for the test.
    ///
    /// The event is not among the deliveries: its failure delays no other event.
    ///
    /// - Throws: `.notFound`.
    package func testWebhook(_ id: String, by caller: Caller) async throws -> WebhookTest {
        try caller.require(.owner)
        guard let webhook = try await webhooks(by: caller).first(where: { $0.id == id }) else {
            throw Self.unknownWebhook(id)
        }
        let written = try await records.logged(audit(caller, "webhook.test", Self.target(id, caller)))
        guard let entry = written else { throw HubError(.internal, "The audit log lacks the entry of the test.") }
        let sender = WebhookSender(hosts: options.webhookHosts, lookUps: options.nameLookUps)
        let outcome = await sender.send(WebhookSender.testType, entry, to: webhook, at: Date())
        return WebhookTest(status: outcome.status, problem: outcome.problem)
    }

    private static func unknownWebhook(_ id: String) -> HubError {
        HubError(
            .notFound,
            "There is no webhook \(id.prefix(40)); `sightline hub webhook list` shows the existing ones."
        )
    }

    private static func target(_ id: String, _ caller: Caller) -> String {
        "projects/\(caller.project.id)/webhooks/\(id)"
    }

    // MARK: - Expiry and quota notices

    /// The longest time before its end at which a key is due for a notice; for a key with a shorter life, it is the last quarter of that.
    private static let noticePeriod = Duration.seconds(14 * 24 * 3600)
    /// A key that lives no longer than this, as a program's own tokens do, ends as planned.
    private static let shortLife = Duration.seconds(2 * 24 * 3600)
    /// The share of the quota at which a notice is due.
    private static let noticedShare = 0.9

    /// Writes entries about keys that end soon, and quotas that are nearly used.
    ///
    /// - Throws: The failures of single projects, after the others are done.
    func logUpcomingLimits() async throws {
        let time = now()
        var duties = Duties()
        for project in try await records.projects() {
            try await duties.perform(project.id) {
                try await noteKeysNearTheirEnd(of: project, at: time)
                try await noteNearQuota(of: project, at: time)
            }
        }
        try duties.finish()
    }

    private func noteKeysNearTheirEnd(of project: Project, at time: Timestamp) async throws {
        for credential in try await records.credentials(of: .project(project.id)) where credential.isValid(at: time) {
            guard let end = credential.expiry, let period = Self.noticePeriod(of: credential),
                end < time.advanced(by: period)
            else { continue }
            try await records.logOnce(
                AuditEntry(
                    time: time,
                    project: project.id,
                    actor: "hub",
                    action: "key.nearEnd",
                    target: "keys/\(credential.id)",
                    detail: "\(credential.name), ends \(end)",
                    event: .keyNearEnd
                ),
                since: Timestamp(milliseconds: 0)
            )
        }
    }

    /// The time before its end at which a notice of a key is due; nil if it never is.
    private static func noticePeriod(of credential: Credential) -> Duration? {
        guard let end = credential.expiry else { return nil }
        let life = Duration.milliseconds(end.milliseconds - credential.createTime.milliseconds)
        return life > shortLife ? min(noticePeriod, life / 4) : nil
    }

    private func noteNearQuota(of project: Project, at time: Timestamp) async throws {
        guard let quota = project.quota, quota > 0 else { return }
        let used = try await records.usage(of: project.id).byteCount
        guard Double(used) >= Self.noticedShare * Double(quota) else { return }
        try await records.logOnce(
            AuditEntry(
                time: time,
                project: project.id,
                actor: "hub",
                action: "quota.near",
                target: "projects/\(project.id)",
                detail: "\(used) of \(quota) bytes",
                event: .quotaNear
            ),
            // Once a week while it lasts.
            since: time.advanced(by: .seconds(-7 * 24 * 3600))
        )
    }
}
