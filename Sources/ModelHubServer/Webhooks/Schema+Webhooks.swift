import HTTPServing

/// The schemas of webhooks.
extension Schema {
    private static let event = choice(
        WebhookEvent.allCases.map(\.rawValue),
        WebhookEvent.allCases.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: " ")
    )

    static let webhookInput = object("A new webhook.").fields([
        "address": .text("An https or http address on a host that the hub's operator allows."),
        "events?": .list("The events to deliver; all by default.", of: event),
    ]).named("WebhookInput")

    static let webhook = object("An address that is notified of changes.").fields([
        "webhookId": .text(),
        "address": .text("Owners see it completely; for others, it ends with `…` after the beginning of its path."),
        "events": .list("Empty for all.", of: event),
        "createTime": .time(),
        "actor": .text("Who added it."),
        "lastNumber": .integer("The number of the last change that was delivered, or that it skips."),
        "failures": .integer("The number of failures since the last success."),
        "secret?": .text("The secret of signatures, in the answer to the request that added the webhook alone."),
    ]).named("Webhook")

    static let newWebhook = webhook
    static let webhookList = fields(["webhooks": .list("Oldest first.", of: webhook)]).named("WebhookList")

    static let webhookTest = object("The answer of a receiver to a test event.").fields([
        "status?": .integer("The status of the answer. Absent without an answer."),
        "problem?": .text("Why the receiver has not accepted the event. Absent if it has."),
    ]).named("WebhookTest")

    static let webhookDeliveries = fields([
        "deliveries": .list(
            "The last hundred, newest first.",
            of: .fields([
                "number": .integer("The number of the change in the audit log."),
                "event": event,
                "time": .time("The time of the last attempt."),
                "attempts": .integer(),
                "status?": .integer("The status of the answer. Absent without an answer."),
                "problem?": .text("Why the receiver has not accepted the event. Absent if it has."),
            ])
        )
    ]).named("WebhookDeliveries")
}
