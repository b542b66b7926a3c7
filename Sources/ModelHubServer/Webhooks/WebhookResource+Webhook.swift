import ModelHubProtocol

extension WebhookResource {
    /// The webhook as it is shown, without its secret unless it is new.
    init(_ webhook: Webhook, secret: String? = nil) {
        self.init(
            webhookId: webhook.id,
            address: webhook.address,
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
