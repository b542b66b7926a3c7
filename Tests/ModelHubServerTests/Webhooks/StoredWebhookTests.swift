import Testing

@testable import ModelHubServer

/// The names that version 0.1.0 stores for the events of webhooks, in subscriptions, deliveries and the audit log.
@Suite(.hangLimit)
struct StoredWebhookTests {
    private static let names = [
        "model.created", "model.published", "model.unpublished", "model.promoted", "model.staged", "model.deleted",
        "rollout.started", "rollout.stepped", "rollout.halted", "rollout.finished", "rollout.aborted",
        "evaluation.done", "key.nearEnd", "quota.near",
        // Since version 0.2.0.
        "training.done",
    ]

    @Test(arguments: names)
    func everyStoredNameIsStillAnEvent(_ name: String) {
        #expect(WebhookEvent(rawValue: name)?.rawValue == name)
    }
}
