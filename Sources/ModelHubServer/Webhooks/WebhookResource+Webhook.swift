import ModelHubProtocol

extension WebhookResource {
    /// The webhook as shown to a caller: with its complete address to owners, who add webhooks, and without its secret unless it is
    /// new.
    init(_ webhook: Webhook, to caller: Caller, secret: String? = nil) {
        self.init(
            webhookId: webhook.id,
            address: caller.role >= .owner ? webhook.address : webhook.shortenedAddress,
            events: webhook.events.map(\.rawValue),
            createTime: "\(webhook.createTime)",
            actor: webhook.actor,
            lastNumber: webhook.lastNumber,
            failures: webhook.failures,
            secret: secret
        )
    }
}

extension WebhookDeliveryResource {
    init(_ delivery: WebhookDelivery) {
        self.init(
            number: delivery.number,
            event: delivery.event.rawValue,
            time: "\(delivery.time)",
            attempts: delivery.attempts,
            status: delivery.status,
            problem: delivery.problem.isEmpty ? nil : delivery.problem
        )
    }
}
