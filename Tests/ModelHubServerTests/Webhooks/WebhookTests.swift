import Crypto
import Foundation
import HTTPServing
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// A hub that notifies a receiver of its changes.
@Suite(.hangLimit)
struct WebhookTests {
    private static let webhooks = "/hub/v1/projects/my-plants/webhooks"

    /// An address that notes its deliveries, and answers with a status.
    private final class Receiver: Sendable {
        struct Delivery: Sendable {
            var type: String
            var id: String
            var signature: String
            var body: Data
        }

        private let state = Mutex<(received: [Delivery], status: Int)>(([], 200))

        var received: [Delivery] { state.withLock { $0.received } }
        var types: [String] { received.map(\.type) }

        func answer(with status: Int) { state.withLock { $0.status = status } }

        func receive(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
            let json = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any]
            let received = Delivery(
                type: json?["type"] as? String ?? "",
                id: json?["id"] as? String ?? "",
                signature: request.headers["sightline-signature"] ?? "",
                body: request.body
            )
            return state.withLock { state in
                state.received.append(received)
                return LoopbackServer.Response(
                    status: state.status,
                    headers: state.status == 302 ? ["Location": "http://127.0.0.1:1/"] : [:]
                )
            }
        }
    }

    /// Calls `body` with a hub that has a webhook, which goes to a receiver on loopback.
    private func withWebhook(
        _ events: [String] = [],
        hosts: [String] = ["127.0.0.1"],
        _ body: @escaping @Sendable (TestHub, TestClient, Receiver, _ id: String, _ secret: String) async throws -> Void
    ) async throws {
        var options = Hub.Options()
        options.webhookHosts = try #require(AllowedHosts(["*"] + hosts))
        let receiver = Receiver()
        let server = try LoopbackServer { receiver.receive($0) }
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                let input: [String: Any] = ["address": server.address + "/hook", "events": events]
                let added = try await client.send(.post, Self.webhooks, json: input)
                #expect(added.status == 200, "\(added.text("error") ?? "")")
                let (id, secret) = (try #require(added.text("webhookId")), try #require(added.text("secret")))
                try await body(test, client, receiver, id, secret)
            }
        }
    }

    private func deliveries(_ client: TestClient, _ id: String) async throws -> [[String: Any]] {
        let reply = try await client.send(.get, "\(Self.webhooks)/\(id)/deliveries")
        return try #require(reply.value("deliveries") as? [[String: Any]])
    }

    @Test func changesAreToldInOrderAsSignedCloudEvents() async throws {
        try await withWebhook { test, client, receiver, id, secret in
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            #expect(receiver.types == ["sightline.model.created", "sightline.model.published"])
            let received = try #require(receiver.received.last)
            let json = try #require(try JSONSerialization.jsonObject(with: received.body) as? [String: Any])
            #expect(json["specversion"] as? String == "1.0" && json["source"] as? String == "/projects/my-plants")
            #expect((json["data"] as? [String: Any])?["detail"] as? String == "published")
            let parts = received.signature.split(separator: ",").map {
                $0.split(separator: "=").last.map(String.init) ?? ""
            }
            let code = HMAC<Crypto.SHA256>.authenticationCode(
                for: Data("\(parts[0]).".utf8) + received.body,
                using: SymmetricKey(data: Data(secret.utf8))
            )
            #expect(parts[1] == code.map { String(format: "%02x", $0) }.joined())
            // Nothing is delivered twice.
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count == 2)
            #expect(try await deliveries(client, id).map { $0["status"] as? Int } == [200, 200])
        }
    }

    @Test func aTestEventIsDeliveredAtOnceAndItsAnswerShown() async throws {
        try await withWebhook(["model.deleted"]) { test, client, receiver, id, secret in
            let answer = try await client.send(.post, "\(Self.webhooks)/\(id):test", json: [:])
            #expect(answer.status == 200 && answer.value("status") as? Int == 200 && answer.value("problem") == nil)
            #expect(receiver.types == ["sightline.webhook.test"])
            let received = try #require(receiver.received.first)
            let parts = received.signature.split(separator: ",").map { String($0.split(separator: "=").last ?? "") }
            let code = HMAC<Crypto.SHA256>.authenticationCode(
                for: Data("\(parts[0]).".utf8) + received.body,
                using: SymmetricKey(data: Data(secret.utf8))
            )
            #expect(parts[1] == code.map { String(format: "%02x", $0) }.joined())
            // In the console, with a receiver that refuses; the event is not sent again.
            receiver.answer(with: 403)
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let path = "/console/webhooks/\(id)"
            #expect(try await browser.post("\(path)/test").location == path)
            let page = try await browser.get(path).text
            #expect(page.contains("has not accepted the test event: it refuses the event with status 403."))
            try await test.hub.deliverWebhooks()
            #expect(receiver.types.count == 2)
            let absent = try await client.send(.post, "\(Self.webhooks)/nosuch:test", json: [:])
            #expect(absent.status == 404)
            let publisher = try await ConsoleClient.signedIn(client, test.publisher)
            #expect(try await publisher.post("\(path)/test").status == 403)
        }
    }

    @Test func theFormKeepsWhatWasTypedIfTheAddressIsRefused() async throws {
        try await withWebhook { test, client, _, _, _ in
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let fields = ["address": "ftp://example.org/<b>", "event-quota-near": "quota.near"]
            let refused = try await browser.post("/console/webhooks", fields)
            #expect(refused.status == 400 && refused.text.contains("is not of the form https://host/path"))
            #expect(refused.text.contains("value=\"ftp://example.org/&lt;b&gt;\""))
            #expect(refused.text.contains("value=\"quota.near\" checked"))
            for event in WebhookEvent.allCases { #expect(refused.text.contains(event.meaning), "\(event)") }
        }
    }

    @Test func onlyTheWantedEventsAreTold() async throws {
        try await withWebhook(["model.deleted"]) { test, client, receiver, _, _ in
            let id = try await client.publish("plants", file: fakeModel(1))
            _ = try await client.send(.delete, "\(TestClient.models)/\(id)")
            try await test.hub.deliverWebhooks()
            #expect(receiver.types == ["sightline.model.deleted"])
        }
    }

    /// The kind of an event is that of the change, whatever words its entry in the log contains.
    @Test func onlyTheAliasStagingStagesAVersion() async throws {
        try await withWebhook { test, client, receiver, _, _ in
            _ = try await client.publish("plants", file: fakeModel(1))
            _ = try await client.addVersion(fakeModel(2))
            let aliases = "/hub/v1/projects/my-plants/models/plants/aliases"
            try await test.hub.deliverWebhooks()
            let received = receiver.received.count
            for name in ["not-staging", "stagingx", "staging-2"] {
                #expect(try await client.send(.put, "\(aliases)/\(name)", json: ["version": 2]).status == 200)
            }
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count == received)
            #expect(try await client.send(.put, "\(aliases)/staging", json: ["version": 2]).status == 200)
            #expect(try await client.send(.delete, "\(aliases)/staging").status == 200)
            try await test.hub.deliverWebhooks()
            #expect(receiver.types.dropFirst(received) == ["sightline.model.staged"])
        }
    }

    @Test(arguments: [500, 503, 429]) func anEventThatFailsComesAgainBeforeLaterOnes(status: Int) async throws {
        try await withWebhook { test, client, receiver, id, _ in
            receiver.answer(with: status)
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            // The pause.
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count == 1)
            receiver.answer(with: 204)
            test.clock.advance(by: .seconds(3))
            try await test.hub.deliverWebhooks()
            #expect(receiver.types.count == 3 && receiver.received[0].id == receiver.received[1].id)
            let last = try await deliveries(client, id).last
            #expect(last?["attempts"] as? Int == 2 && last?["status"] as? Int == 204)
        }
    }

    @Test(arguments: [200, 500]) func aClockThatWasSetBackHoldsUpNoEvent(status: Int) async throws {
        try await withWebhook { test, client, receiver, _, _ in
            test.clock.advance(by: .seconds(60 * 86_400))
            receiver.answer(with: status)
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            let before = receiver.received.count
            #expect(before >= 1)
            receiver.answer(with: 200)
            test.clock.advance(by: .zero - .seconds(60 * 86_400))
            _ = try await client.addVersion(fakeModel(2))
            let alias = "/hub/v1/projects/my-plants/models/plants/aliases/staging"
            #expect(try await client.send(.put, alias, json: ["version": 2]).status == 200)
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count > before && receiver.types.last == "sightline.model.staged")
        }
    }

    @Test func receiversThatDoNotAnswerHoldUpNobodyElse() async throws {
        try await withWebhook { test, client, receiver, _, _ in
            // The system accepts connections, and nobody reads them.
            let (listener, port) = try Loopback.listener()
            defer { close(listener) }
            for number in 0..<19 {
                let input = ["address": "http://127.0.0.1:\(port)/\(number)"]
                #expect(try await client.send(.post, Self.webhooks, json: input).status == 200)
            }
            func received(_ count: Int) async throws -> Bool {
                let end = ContinuousClock.now.advanced(by: .seconds(6))
                while receiver.received.count < count, ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(20))
                }
                return receiver.received.count >= count
            }
            let model = try await client.publish("plants", file: fakeModel(1))
            let delivery = Task { try await test.hub.deliverWebhooks() }
            defer { delivery.cancel() }
            #expect(try await received(2))
            // Changes that happen while the others wait are also delivered.
            _ = try await client.send(.delete, "\(TestClient.models)/\(model)")
            #expect(try await received(3))
            #expect(receiver.types.last == "sightline.model.deleted")
        }
    }

    @Test(arguments: [400, 410, 302]) func aRefusedEventIsLeftOutAndNoted(status: Int) async throws {
        try await withWebhook { test, client, receiver, id, _ in
            receiver.answer(with: status)
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count == 2)
            let found = try await deliveries(client, id)
            #expect(found.count == 2 && found.allSatisfy { $0["status"] as? Int == status && $0["problem"] != nil })
        }
    }

    @Test func whatWasToldCanBeToldAgain() async throws {
        try await withWebhook { test, client, receiver, id, _ in
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            let first = try #require(try await deliveries(client, id).last?["number"] as? Int)
            let path = "\(Self.webhooks)/\(id):repeat"
            #expect(try await client.send(.post, path, json: ["number": first]).status == 200)
            try await test.hub.deliverWebhooks()
            #expect(
                receiver.types
                    == Array(repeating: ["sightline.model.created", "sightline.model.published"], count: 2).flatMap(
                        \.self
                    )
            )
            #expect(try await client.send(.post, path, json: ["number": first + 1000]).status == 404)
        }
    }

    @Test func theConsoleShowsDeliveriesAndTellsAgain() async throws {
        try await withWebhook { test, client, receiver, id, secret in
            receiver.answer(with: 503)
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let list = try await browser.get("/console/webhooks").text
            #expect(list.contains("/hook") && list.contains("Failed once") && !list.contains(secret))
            receiver.answer(with: 200)
            test.clock.advance(by: .seconds(3))
            try await test.hub.deliverWebhooks()
            let page = try await browser.get("/console/webhooks/\(id)").text
            #expect(page.contains("model.published") && page.contains("Deliver again from here"))
            let received = receiver.received.count
            let first = try #require(try await deliveries(client, id).last?["number"] as? Int)
            #expect(try await browser.post("/console/webhooks/\(id)/repeat", ["number": "\(first)"]).status == 303)
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.count == received + 2)
            #expect(try await browser.get("/console/webhooks/000000000000").status == 404)
        }
    }

    /// Names and addresses of the network behind the hub.
    @Test(arguments: [
        "127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0",
    ])
    func nothingGoesToTheInnerNetwork(host: String) async throws {
        let receiver = Receiver()
        let server = try LoopbackServer { receiver.receive($0) }
        let port = try #require(URL(string: server.address)?.port)
        try await TestHub.with { test in
            try await test.serve { client in
                let added = try await client.send(.post, Self.webhooks, json: ["address": "http://\(host):\(port)/"])
                _ = try await client.publish("plants", file: fakeModel(1))
                try await test.hub.deliverWebhooks()
                #expect(receiver.received.isEmpty)
                guard let id = added.text("webhookId") else { return }
                let problem = try await deliveries(client, id).last?["problem"] as? String ?? ""
                #expect(problem.contains("private network") || problem.contains("unknown"), "\(problem)")
            }
        }
    }

    /// The path of a webhook is the secret of chat services. Only owners, who add webhooks, see it whole.
    @Test func editorsSeeTheHostOfAWebhookAlone() async throws {
        try await withWebhook { test, client, _, _, _ in
            let address = "http://127.0.0.1:1/services/T0/B0/secret?token=other"
            #expect(try await client.send(.post, Self.webhooks, json: ["address": address]).status == 200)
            let project = try #require(try await test.hub.records.project(TestHub.project))
            let issued = try await test.hub.issue(.token, role: .editor, name: "editor", for: project, address: "")
            let editor = try #require(issued.secret)
            for (token, shown) in [(test.admin, address), (editor, "http://127.0.0.1:1/serv…")] {
                let list = try await client.send(.get, Self.webhooks, token: token)
                let found = try #require(list.value("webhooks") as? [[String: Any]]).compactMap {
                    $0["address"] as? String
                }
                #expect(found.contains(shown) && (shown == address || !found.contains(address)), "\(found)")
            }
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let page = try await browser.get("/console/webhooks").text
            #expect(page.contains("http://127.0.0.1:1/serv…"))
            #expect(!page.contains("/secret") && !page.contains("token=other"))
        }
    }

    @Test func addressesOfOtherKindsAreRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for address in [
                    "ftp://example.org/", "https://user:word@example.org/", "example.org", "file:///etc/passwd",
                    "https://",
                ] {
                    let reply = try await client.send(.post, Self.webhooks, json: ["address": address])
                    #expect(reply.status == 400, "\(address)")
                }
                let reply = try await client.send(
                    .post,
                    Self.webhooks,
                    json: ["address": "https://example.org/", "events": ["model.eaten"]]
                )
                #expect(reply.status == 400)
            }
        }
    }

    @Test func aRemovedWebhookIsToldNothingAndItsSecretIsShownOnce() async throws {
        try await withWebhook { test, client, receiver, id, secret in
            let listed = try await client.send(.get, Self.webhooks)
            #expect(listed.status == 200 && !String(decoding: listed.body, as: UTF8.self).contains(secret))
            #expect(try await client.send(.delete, "\(Self.webhooks)/\(id)").status == 200)
            _ = try await client.publish("plants", file: fakeModel(1))
            try await test.hub.deliverWebhooks()
            #expect(receiver.received.isEmpty)
            #expect(try await client.send(.delete, "\(Self.webhooks)/\(id)").status == 404)
        }
    }

    @Test func slowNameServersOfOneProjectHoldUpNoOther() async throws {
        let hasEnded = Mutex(false)
        var options = Hub.Options()
        options.webhookHosts = try #require(AllowedHosts(["*", "127.0.0.1"]))
        options.nameLookUps = NameLookUps(limit: .milliseconds(200)) { _ in
            while !hasEnded.withLock({ $0 }) { usleep(2000) }
            return []
        }
        defer { hasEnded.withLock { $0 = true } }
        let receiver = Receiver()
        let server = try LoopbackServer { receiver.receive($0) }
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                func add(_ address: String, to project: String, _ token: String) async throws -> String {
                    let path = "/hub/v1/projects/\(project)/webhooks"
                    let added = try await client.send(.post, path, json: ["address": address], token: token)
                    return try #require(added.text("webhookId"), "\(added.text("error.message") ?? "")")
                }
                var slow: [String] = []
                for number in 0..<20 {
                    slow.append(try await add("http://a\(number).example.org/", to: TestHub.project, test.admin))
                }
                _ = try await add(server.address + "/hook", to: "other-project", test.stranger)
                _ = try await client.publish("plants", file: fakeModel(1))
                let input = ["displayName": "other"]
                let path = "/v1beta2/projects/other-project/models"
                #expect(try await client.send(.post, path, json: input, token: test.stranger).status == 200)
                try await test.hub.deliverWebhooks()
                #expect(receiver.types == ["sightline.model.created"])
                // The hub answers meanwhile.
                #expect(try await client.send(.get, Self.webhooks).status == 200)
                var problems: [String] = []
                for id in slow { problems += try await deliveries(client, id).compactMap { $0["problem"] as? String } }
                #expect(!problems.isEmpty && problems.allSatisfy { $0.contains("name server") }, "\(problems)")
            }
        }
    }

    @Test func aKeyNearItsEndIsNewsOnce() async throws {
        try await withWebhook(["key.nearEnd"]) { test, client, receiver, _, _ in
            let key = try await client.send(
                .post,
                "/hub/v1/projects/my-plants/keys",
                json: ["name": "short", "kind": "token", "role": "viewer", "ttl": "864000s"]
            )
            #expect(key.status == 200, "\(key.text("error") ?? "")")
            // A token of a program ends as it was meant to.
            let passing = try await client.send(
                .post,
                "/hub/v1/projects/my-plants/keys",
                json: ["name": "job", "kind": "token", "role": "viewer", "ttl": "172800s"]
            )
            #expect(passing.status == 200)
            try await test.hub.logUpcomingLimits()
            try await test.hub.deliverWebhooks()
            #expect(receiver.types.isEmpty)
            test.clock.advance(by: .seconds(8 * 24 * 3600))
            for _ in 0..<2 {
                try await test.hub.logUpcomingLimits()
                try await test.hub.deliverWebhooks()
            }
            #expect(receiver.types == ["sightline.key.nearEnd"])
        }
    }
}
