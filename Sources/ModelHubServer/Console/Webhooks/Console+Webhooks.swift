import Hummingbird

/// The pages with the webhooks of the project, and with their deliveries.
extension Console {
    func addWebhooks(to routes: inout RouteTable) {
        page(at: "console/webhooks", for: .owner, in: &routes, use: webhooks)
        page(at: "console/webhooks/{webhook}", for: .owner, in: &routes, use: webhook)
        form(at: "console/webhooks", for: .owner, in: &routes, use: addWebhook)
        page(at: "console/webhooks/{webhook}/remove", for: .owner, in: &routes, use: webhookRemoval)
        form(at: "console/webhooks/{webhook}/remove", for: .owner, in: &routes, use: removeWebhook)
        form(at: "console/webhooks/{webhook}/test", for: .owner, in: &routes, use: testWebhook)
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

        /// An event that the form offers.
        struct Event: Sendable {
            var id: String
            var name: String
            var meaning: String
            var isChosen: Bool
        }

        var rows: [Row]
        var events: [Event]
        var address: String
        /// Whether the form stays open because it was refused.
        var isRefused: Bool
    }

    /// The beginning of the names of the events' boxes.
    private static let eventPrefix = "event-"

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
        var events: String
        var path: String
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
        try await webhookList(visit, address: "", events: [], error: nil)
    }

    private func webhookList(
        _ visit: ConsoleVisit,
        address: String,
        events: [String],
        error: HubError?
    ) async throws -> Response {
        let webhooks = try await hub.webhooks(by: visit.caller)
        return .page(
            "webhooks",
            ConsoleChrome(title: "Webhooks", visit: visit, error: error),
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
                },
                events: WebhookEvent.allCases.map {
                    .init(
                        id: Self.eventPrefix + $0.rawValue.replacing(".", with: "-"),
                        name: $0.rawValue,
                        meaning: $0.meaning,
                        isChosen: events.contains($0.rawValue)
                    )
                },
                address: address,
                isRefused: error != nil
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
                events: webhook.events.isEmpty ? "all events" : webhook.events.map(\.rawValue).joined(separator: ", "),
                path: "/console/webhooks/\(id)",
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
    private func addWebhook(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let events = form.fields.filter { $0.key.hasPrefix(Self.eventPrefix) }.map(\.value).sorted()
        do {
            let (webhook, secret) = try await hub.addWebhook(form["address"], events: events, by: visit.caller)
            return .secret(
                ConsoleChrome(title: "New webhook", visit: visit),
                .init(
                    title: "The secret of \(webhook.shortenedAddress)",
                    text:
                        "The receiver checks signatures with it. Copy it now: the hub does not show it again. Then send a test event.",
                    secret: secret,
                    isLong: false,
                    back: "/console/webhooks/\(webhook.id)",
                    backTitle: "Webhook"
                )
            )
        } catch let error as HubError where error.isRefusedForm {
            return try await webhookList(visit, address: form["address"], events: events, error: error)
        }
    }

    /// Sends a test event, and shows the answer.
    @Sendable
    private func testWebhook(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        let id = visit.request["webhook"]
        let test = try await hub.testWebhook(id, by: visit.caller)
        let answer = test.status.map { "it answered with status \($0)" } ?? "it did not answer"
        let text =
            test.problem.isEmpty
            ? "The receiver accepted the test event: \(answer)."
            : "The receiver has not accepted the test event: \(test.problem)."
        try await say(isError: !test.problem.isEmpty, text, to: visit)
        return try .seeOther("/console/webhooks/\(id)", for: visit.request)
    }

    @Sendable
    private func webhookRemoval(_ visit: ConsoleVisit) async throws -> Response {
        let id = visit.request["webhook"]
        guard let webhook = try await hub.webhooks(by: visit.caller).first(where: { $0.id == id }) else {
            throw HubError.entityNotFound
        }
        return .confirmation(
            ConsoleChrome(title: "Remove a webhook", visit: visit),
            .init(
                title: "Remove the webhook?",
                text: "\(webhook.shortenedAddress) gets no more events, and its secret ends.",
                action: "Remove the webhook",
                back: "/console/webhooks/\(id)",
                backTitle: "Webhook",
                path: "/console/webhooks/\(id)/remove"
            )
        )
    }

    @Sendable
    private func removeWebhook(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: "/console/webhooks") {
            try await hub.removeWebhook(visit.request["webhook"], by: visit.caller)
            return "The webhook was removed."
        }
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
