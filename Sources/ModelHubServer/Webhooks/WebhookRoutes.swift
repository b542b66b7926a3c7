import HTTPServing
import Hummingbird
import ModelHubProtocol

/// Webhooks: `/hub/v1/projects/{project}/webhooks`.
struct WebhookRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let webhooks = "hub/v1/projects/{project}/webhooks"
        routes.on(.get, at: webhooks, for: .editor, use: list) {
            APIOperation(.webhooks, "listWebhooks", "List webhooks").answers("The webhooks.", .webhookList)
        }
        routes.on(.post, at: webhooks, for: .owner, use: add) {
            APIOperation(.webhooks, "addWebhook", "Add a webhook")
                .explained(
                    "The hub posts each change from now on as a CloudEvent 1.0 in JSON, in order, until the address answers with 2xx. The header `Sightline-Signature` is `t=UNIX,v1=HEX`: the HMAC-SHA256 of the time, a period and the body with the secret of this answer. Events may come more than once, with the same `id`."
                )
                .takes(.webhookInput)
                .answers("The webhook with its secret.", .newWebhook)
        }
        routes.on(.delete, at: "\(webhooks)/{webhook}", for: .owner, use: remove) {
            APIOperation(.webhooks, "removeWebhook", "Remove a webhook")
                .parameters(.webhook)
                .answers("It is removed.", .object())
        }
        routes.on(.get, at: "\(webhooks)/{webhook}/deliveries", for: .editor, use: deliveries) {
            APIOperation(.webhooks, "listDeliveries", "List the last deliveries of a webhook")
                .parameters(.webhook)
                .answers("The deliveries, newest first.", .webhookDeliveries)
        }
        routes.on(.post, at: "\(webhooks)/{webhook}:test", for: .owner, use: test) {
            APIOperation(.webhooks, "testWebhook", "Send a test event")
                .explained(
                    "The hub posts an event of the type `sightline.webhook.test` at once, signed as every other one, and waits up to ten seconds for the answer. The event is not sent again."
                )
                .parameters(.webhook)
                .answers("The answer of the receiver.", .webhookTest)
        }
        routes.on(.post, at: "\(webhooks)/{webhook}:repeat", for: .owner, use: redeliver) {
            APIOperation(.webhooks, "repeatWebhook", "Deliver the changes from a number on again")
                .parameters(.webhook)
                .takes(
                    .fields([
                        "number": .integer("The number of the first change, as in its CloudEvent's `data`.", atLeast: 1)
                    ])
                )
                .answers("The webhook delivers again.", .object())
        }
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(WebhookList(webhooks: try await hub.webhooks(by: caller).map { WebhookResource($0, to: caller) }))
    }

    @Sendable
    private func add(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let input = try await request.json(WebhookInput.self)
        let (webhook, secret) = try await hub.addWebhook(input.address, events: input.events ?? [], by: caller)
        return try .json(WebhookResource(webhook, to: caller, secret: secret))
    }

    @Sendable
    private func remove(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await hub.removeWebhook(request["webhook"], by: caller)
        return .json(text: "{}")
    }

    @Sendable
    private func deliveries(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let found = try await hub.deliveries(ofWebhook: request["webhook"], by: caller)
        return try .json(WebhookDeliveryList(deliveries: found.map { WebhookDeliveryResource($0) }))
    }

    @Sendable
    private func test(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let test = try await hub.testWebhook(request["webhook"], by: caller)
        return try .json(
            WebhookTestResource(status: test.status, problem: test.problem.isEmpty ? nil : test.problem)
        )
    }

    @Sendable
    private func redeliver(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        struct Input: Decodable { var number: Int }
        let number = try await request.json(Input.self).number
        try await hub.repeatWebhook(request["webhook"], from: number, by: caller)
        return .json(text: "{}")
    }
}

extension APIParameter {
    fileprivate static let webhook = path("webhook", "The id of the webhook.")
}
