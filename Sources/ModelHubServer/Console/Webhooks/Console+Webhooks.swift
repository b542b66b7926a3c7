import Hummingbird

/// The pages with the webhooks of the project, and with their deliveries.
extension Console {
    func addWebhooks(to routes: inout RouteTable) {
        page(at: "console/webhooks", for: .owner, in: &routes, use: webhooks)
        page(at: "console/webhooks/{webhook}", for: .owner, in: &routes, use: webhook)
        form(at: "console/webhooks/{webhook}/repeat", for: .owner, in: &routes, use: redeliver)
    }

    private struct WebhookListPage: Sendable {
        struct Row: Sendable {
            var path: String
            var address: String
            var events: String
            var state: String
            var isFailing: Bool
            var created: ConsoleTime
            var actor: String
        }

        var rows: [Row]
    }

    private struct WebhookPage: Sendable {
        struct Row: Sendable {
            var number: String
            var event: String
            var time: ConsoleTime
            var attempts: String
            var status: String
            var problem: String
        }

        var address: String
        var state: String
        var repeatPath: String
        var rows: [Row]
    }

    private static func state(_ webhook: Webhook) -> String {
        webhook.failures == 0
            ? "Delivered up to change \(webhook.lastNumber)"
            : "Failed \(webhook.failures == 1 ? "once" : "\(webhook.failures) times"), next try \(ConsoleTime(webhook.nextTime).text)"
    }

    @Sendable
    private func webhooks(_ visit: ConsoleVisit) async throws -> Response {
        let webhooks = try await hub.webhooks(by: visit.caller)
        return .page(
            "webhooks",
            ConsoleChrome(title: "Webhooks", visit: visit),
            WebhookListPage(
                rows: webhooks.map { webhook in
                    .init(
                        path: "/console/webhooks/\(webhook.id)",
                        address: webhook.shortenedAddress,
                        events: webhook.events.isEmpty
                            ? "all" : webhook.events.map(\.rawValue).joined(separator: ", "),
                        state: Self.state(webhook),
                        isFailing: webhook.failures > 0,
                        created: ConsoleTime(webhook.createTime),
                        actor: ConsoleChrome.name(of: webhook.actor)
                    )
                }
            )
        )
    }

    @Sendable
    private func webhook(_ visit: ConsoleVisit) async throws -> Response {
        let id = visit.request["webhook"]
        let deliveries = try await hub.deliveries(ofWebhook: id, by: visit.caller)
        guard let webhook = try await hub.webhooks(by: visit.caller).first(where: { $0.id == id }) else {
            throw HubError.entityNotFound
        }
        return .page(
            "webhook",
            ConsoleChrome(title: "Webhook", visit: visit),
            WebhookPage(
                address: webhook.shortenedAddress,
                state: Self.state(webhook),
                repeatPath: "/console/webhooks/\(id)/repeat",
                rows: deliveries.map {
                    .init(
                        number: "\($0.number)",
                        event: $0.event.rawValue,
                        time: ConsoleTime($0.time),
                        attempts: "\($0.attempts)",
                        status: $0.status.map { "\($0)" } ?? "none",
                        problem: $0.problem
                    )
                }
            )
        )
    }

    @Sendable
    private func redeliver(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let id = visit.request["webhook"]
        return try await change(visit, thenTo: "/console/webhooks/\(id)") {
            guard let number = Int(form["number"]) else { throw HubError.invalidArgument }
            try await hub.repeatWebhook(id, from: number, by: visit.caller)
            return "The webhook gets the changes again, from change \(number) on."
        }
    }
}
