/// A webhook as the hub shows it.
package struct WebhookResource: Codable, Sendable {
    package var webhookId, address: String
    package var events: [String]
    package var createTime, actor: String
    package var lastNumber, failures: Int
    package var secret: String?

    /// Creates a webhook.
    package init(
        webhookId: String,
        address: String,
        events: [String],
        createTime: String,
        actor: String,
        lastNumber: Int,
        failures: Int,
        secret: String?
    ) {
        (self.webhookId, self.address, self.events) = (webhookId, address, events)
        (self.createTime, self.actor, self.secret) = (createTime, actor, secret)
        (self.lastNumber, self.failures) = (lastNumber, failures)
    }
}

/// The webhooks of a project.
package struct WebhookList: Codable, Sendable {
    package var webhooks: [WebhookResource]

    /// Creates a list.
    package init(webhooks: [WebhookResource]) { self.webhooks = webhooks }
}

/// A new webhook.
package struct WebhookInput: Codable, Sendable {
    package var address: String
    package var events: [String]?

    /// Creates the input.
    package init(address: String, events: [String]?) { (self.address, self.events) = (address, events) }
}

/// The answer of a receiver to a test event.
package struct WebhookTestResource: Codable, Sendable {
    package var status: Int?
    package var problem: String?

    /// Creates an answer.
    package init(status: Int?, problem: String?) { (self.status, self.problem) = (status, problem) }
}

/// The result of the last attempt to deliver a change to a webhook.
package struct WebhookDeliveryResource: Codable, Sendable {
    package var number: Int
    package var event, time: String
    package var attempts: Int
    package var status: Int?
    package var problem: String?

    /// Creates a result.
    package init(number: Int, event: String, time: String, attempts: Int, status: Int?, problem: String?) {
        (self.number, self.event, self.time) = (number, event, time)
        (self.attempts, self.status, self.problem) = (attempts, status, problem)
    }
}

/// The last deliveries of a webhook, newest first.
package struct WebhookDeliveryList: Codable, Sendable {
    package var deliveries: [WebhookDeliveryResource]

    /// Creates a list.
    package init(deliveries: [WebhookDeliveryResource]) { self.deliveries = deliveries }
}
