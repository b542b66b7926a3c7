import Foundation
import HTTPServing
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Rollouts in a hub, over HTTP: devices ask for a model and report results.
@Suite(.hangLimit)
struct RolloutHubTests {
    private static let rollouts = "/hub/v1/projects/my-plants/rollouts"
    private static let details = "/hub/v1/projects/my-plants/models/plants"

    /// Calls `body` with a served hub with the published model "plants", whose version 2 is not served.
    private func withVersions(_ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void) async throws {
        // All devices have one address, and a fast machine sends more requests than one client may.
        var options = HTTPService.Options.patient
        options.rateLimit = nil
        try await TestHub.with { [options] test in
            try await test.serve(options) { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                let uri = try await client.upload(fakeModel(2), as: "version.tflite")
                let added = try await client.send(.post, "\(Self.details)/versions", json: ["gcsTfliteUri": uri])
                #expect(added.value("version") as? Int == 2)
                try await body(test, client)
            }
        }
    }

    private func start(
        _ client: TestClient,
        steps: [Double] = [50, 100],
        guards: [String] = ["latency", "failures"]
    ) async throws -> TestReply {
        let plan: [String: Any] = [
            "model": "plants", "version": 2, "steps": steps, "everySeconds": 600, "guards": guards,
        ]
        return try await client.send(.post, Self.rollouts, json: plan)
    }

    /// Installation ids whose places are spread evenly.
    private static let devices = (0..<240).map { String(format: "c%021d", $0) }

    private static func token(_ device: String, _ test: TestHub) throws -> String {
        try test.hub.installationToken(for: Installation(fid: device, app: "a", project: TestHub.project))
    }

    /// The hub's answer to a device about the model: the hash of its file, and its part in a rollout.
    private static func check(
        _ device: String?,
        _ test: TestHub,
        _ client: TestClient,
        known: String? = nil
    ) async throws -> (hash: String?, part: String?, status: Int) {
        var headers: HTTPFields = [.apiKey: test.apiKey]
        headers[.installationsAuth] = try device.map { try token($0, test) }
        headers[.ifNoneMatch] = known
        let reply = try await client.send(
            .get,
            "\(TestClient.models)/plants:download",
            headers: headers,
            token: .some(nil)
        )
        return (reply.headers[.eTag], reply.headers[.rollout], reply.status)
    }

    /// Reports results of a device.
    private static func report(
        _ device: String?,
        _ variant: String,
        latency: Double = 40,
        failures: Int = 0,
        _ test: TestHub,
        _ client: TestClient,
        rollout: String = "plants-v2"
    ) async throws -> TestReply {
        let bucket = Int(log2(latency / 0.1) * 8)
        let batch = """
            {"batchId":"\(UUID().uuidString)","outcomes":[{"experimentId":"\(rollout)","variantId":"\(variant)","model":"plants",
              "count":10,"latency":{"count":10,"sum":\(latency * 10),"squares":\(latency * latency * 10),"histogram":{"\(bucket)":10}},
              "scores":{"failures":{"count":10,"sum":\(failures),"squares":\(failures * 2)}}}]}
            """
        var headers = HTTPFields()
        headers[.installationsAuth] = try device.map { try token($0, test) }
        return try await client.send(
            .post,
            "/hub/v1/projects/my-plants/outcomes?key=\(test.apiKey)",
            headers: headers,
            body: Data(batch.utf8),
            token: .some(nil)
        )
    }

    @Test func aDeviceGetsTheVersionOfItsGroupAndKeepsIt() async throws {
        try await withVersions { test, client in
            let started = try await start(client, steps: [20, 60, 100])
            #expect(
                started.status == 200 && started.text("rolloutId") == "plants-v2" && started.text("state") == "RUNNING"
            )
            let (old, new) = (sha256(fakeModel(1)), sha256(fakeModel(2)))
            var groups: [String: Int] = [:]
            for device in Self.devices.prefix(120) {
                let found = try await Self.check(device, test, client)
                let part = try #require(found.part?.split(separator: " ").last)
                groups[String(part), default: 0] += 1
                #expect(found.hash == (part == "new" ? new : old))
                let again = try await Self.check(device, test, client, known: found.hash)
                #expect(again.status == 304 && again.part == found.part)
            }
            // Of 120: 20 % and 20 %.
            #expect((12...38).contains(groups["new"] ?? 0) && (12...38).contains(groups["old"] ?? 0), "\(groups)")
            // A client without an installation, and a caller with a token, have no part in it.
            let nobody = try await Self.check(nil, test, client)
            #expect(nobody.hash == old && nobody.part == "plants-v2 unidentified")
            let owner = try await client.send(.get, "\(TestClient.models)/plants:download")
            #expect(owner.headers[.eTag] == old && owner.headers[.rollout] == nil)
            let staging = try await client.send(
                .get,
                "\(TestClient.models)/plants:download?alias=staging",
                headers: [.apiKey: test.apiKey, .installationsAuth: try Self.token(Self.devices[0], test)],
                token: .some(nil)
            )
            #expect(staging.headers[.rollout] == nil)
            // A token of another project is none.
            let stranger = Installation(fid: Self.devices[0], app: "a", project: "other-project")
            let foreign = try await client.send(
                .get,
                "\(TestClient.models)/plants:download",
                headers: [.apiKey: test.apiKey, .installationsAuth: try test.hub.installationToken(for: stranger)],
                token: .some(nil)
            )
            #expect(foreign.headers[.rollout] == "plants-v2 unidentified")
        }
    }

    @Test func aSlowerVersionIsHaltedAndTheAuditLogTellsWhy() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            for device in Self.devices {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                let speed = 40 + Double((device.utf8.last ?? 0) % 7)
                let reply = try await Self.report(
                    device,
                    String(part),
                    latency: part == "new" ? speed * 1.5 : speed,
                    test,
                    client
                )
                #expect(reply.value("accepted") as? Int == 1, "\(part)")
            }
            test.clock.advance(by: .seconds(60))
            let changes = try await test.hub.watchRollouts()
            #expect(changes.map(\.change) == [.halted])
            let shown = try await client.send(.get, "\(Self.rollouts)/plants")
            #expect(shown.text("state") == "HALTED")
            let reason = try #require(shown.text("reason"))
            #expect(reason.contains("Latency is") && reason.contains("higher than with version 1"), "\(reason)")
            #expect(reason.hasSuffix("All devices return to version 1."))
            let comparisons = try #require(shown.value("comparisons") as? [[String: Any]])
            #expect(comparisons.map { $0["verdict"] as? String } == ["harmful", "no-harm"])
            for device in Self.devices.prefix(20) {
                let found = try await Self.check(device, test, client)
                #expect(found.hash == sha256(fakeModel(1)) && found.part == nil)
            }
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 2)
            #expect(log.map(\.action) == ["rollout.halt", "rollout.start"])
            #expect(log[0].actor == "rollout plants-v2" && log[0].detail == reason)
            #expect(log.map(\.event) == [.rolloutHalted, .rolloutStarted])
            // Late reports count no more; and the version can be tried again, with other devices.
            #expect(try await Self.report(Self.devices[0], "new", test, client).value("ignored") as? Int == 1)
            #expect(try await start(client).text("rolloutId") == "plants-v2-2")
        }
    }

    /// The rows of devices take the most room, and nobody needs them after the end.
    @Test func onlyTheSumsOfAnEndedRolloutStay() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            for device in Self.devices.prefix(20) {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                _ = try await Self.report(device, String(part), test, client)
            }
            func rows() async throws -> Int? {
                try await test.hub.records.database.read { db in
                    try db.value(Int.self, "SELECT count(*) FROM rolloutOutcomeOfDevice")
                }
            }
            _ = try await test.hub.cleanUp()
            #expect(try await rows() == 60)
            let evidence = try await test.hub.records.evidence(of: "plants-v2", in: TestHub.project)
            let target = "\(Self.rollouts)/plants-v2:abort"
            #expect(try await client.send(.post, target, json: [String: String]()).status == 200)
            _ = try await test.hub.cleanUp()
            #expect(try await rows() == 0)
            #expect(try await test.hub.records.evidence(of: "plants-v2", in: TestHub.project) == evidence)
        }
    }

    @Test func reportsOfOtherGroupsAndOfNobodyDoNotCount() async throws {
        try await withVersions { test, client in
            _ = try await start(client, steps: [50])
            let device = Self.devices[0]
            let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
            let other = part == "new" ? "old" : "new"
            for (reporter, variant) in [
                (device, other), (nil, "new"), (nil, "old"), (device, "newUncompared"), (device, "b"),
            ] {
                let reply = try await Self.report(reporter, variant, test, client)
                #expect(reply.value("ignored") as? Int == 1, "\(variant)")
            }
            #expect(
                try await Self.report(device, String(part), test, client, rollout: "plants-v9").value("ignored") as? Int
                    == 1
            )
            let stored = try #require(
                try await test.hub.records.rollout(withIDOrOfModel: "plants", in: TestHub.project)
            )
            #expect(try await test.hub.evidence(of: stored) == RolloutEvidence())
            // Its own group counts, once for each batch, as one device.
            for _ in 0..<3 { _ = try await Self.report(device, String(part), test, client) }
            let evidence = try await test.hub.evidence(of: stored)
            #expect(evidence.newDevices + evidence.oldDevices == 1)
            let groups = try #require(evidence.groups[.latency])
            #expect(groups.new.devices + groups.old.devices == 1 && groups.new.count + groups.old.count == 1)
        }
    }

    @Test func aDeviceCannotClaimMoreFailuresThanResults() async throws {
        try await withVersions { test, client in
            _ = try await start(client, steps: [50])
            let device = Self.devices[0]
            let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
            _ = try await Self.report(device, String(part), failures: 11, test, client)
            let stored = try #require(
                try await test.hub.records.rollout(withIDOrOfModel: "plants", in: TestHub.project)
            )
            let evidence = try await test.hub.evidence(of: stored)
            #expect(evidence.groups[.failures] == nil && evidence.groups[.latency] != nil)
        }
    }

    @Test func whileARolloutIsActiveOnlyItDecides() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            let refused = try await client.send(.post, "\(Self.details):promote", json: ["version": 2])
            #expect(refused.status == 400)
            #expect(refused.text("error.message")?.contains("sightline hub rollout finish plants") == true)
            #expect(
                try await start(client).text("error.message")?.contains("The rollout plants-v2 of plants is not over")
                    == true
            )
            // Other changes of the model are possible.
            let card = try await client.send(.patch, "\(Self.details)/card", json: ["license": "MIT"])
            #expect(card.status == 200)
            #expect(
                try await client.send(.post, "\(Self.rollouts)/plants:finish", json: [String: String]()).text("state")
                    == "FINISHED"
            )
            #expect(try await client.send(.get, Self.details).value("servedVersion") as? Int == 2)
            // The way back is a promotion.
            let back = try await client.send(.post, "\(Self.details):promote", json: ["version": 1])
            #expect(back.value("servedVersion") as? Int == 1)
        }
    }

    @Test func aModelIsNotDeletedWhileItsRolloutIsActive() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            let name = try #require(try await client.send(.get, Self.details).text("model.name"))
            let path = "/v1beta2/\(name)"
            let id = try #require(name.split(separator: "/").last)
            let refused = try await client.send(.delete, path)
            #expect(refused.status == 400 && refused.text("error.status") == "FAILED_PRECONDITION")
            let reason =
                "The rollout plants-v2 gives devices plants; end it with `sightline hub rollout finish plants-v2`"
            #expect(refused.text("error.message")?.hasPrefix(reason) == true)
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let page = try await browser.get("/console/models/\(id)/delete").text
            #expect(
                page.contains("The rollout plants-v2 gives devices plants") && !page.contains(">Delete plants</button>")
            )
            let form = try await browser.post("/console/models/\(id)/delete")
            #expect(form.status == 400 && form.text.contains("The rollout plants-v2 gives devices plants"))
            #expect(try await client.send(.get, Self.details).status == 200)
            _ = try await client.send(.post, "\(Self.rollouts)/plants:abort", json: [String: String]())
            #expect(try await browser.get("/console/models/\(id)/delete").text.contains(">Delete plants</button>"))
            #expect(try await client.send(.delete, path).status == 200)
        }
    }

    @Test func aRolloutWithoutReportsHasTooFewDevices() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            let browser = try await ConsoleClient.signedIn(client, test.reader)
            let page = try await browser.get("/console/rollouts/plants-v2").text
            #expect(page.contains("Too few devices") && !page.contains("Equal enough"))
            #expect(page.contains("The groups were drawn in equal size."))
        }
    }

    @Test func peoplePauseResumeAndAbort() async throws {
        try await withVersions { test, client in
            _ = try await start(client)
            func act(_ action: String, _ token: String? = nil) async throws -> TestReply {
                let target = "\(Self.rollouts)/plants-v2:\(action)"
                return try await client.send(.post, target, json: [String: String](), token: token.map { .some($0) })
            }
            #expect(try await act("pause", test.reader).status == 403)
            #expect(try await act("pause", test.stranger).status == 403)
            #expect(
                try await act("resume").text("error.message")?.contains("is running, so you cannot resume it") == true
            )
            #expect(try await act("pause", test.publisher).text("state") == "PAUSED")
            #expect(try await act("resume").text("state") == "RUNNING")
            #expect(try await act("abort").text("state") == "ABORTED")
            #expect(try await act("abort").status == 400)
            let found = try await Self.check(Self.devices[0], test, client)
            #expect(found.hash == sha256(fakeModel(1)) && found.part == nil)
            let list = try await client.send(.get, Self.rollouts, token: .some(test.reader))
            #expect((list.value("rollouts") as? [Any])?.count == 1)
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 4)
            #expect(log.map(\.action) == ["rollout.abort", "rollout.resume", "rollout.pause", "rollout.start"])
        }
    }

    @Test func aRecordThatCannotBeReadStopsNoOtherRollout() async throws {
        try await withVersions { test, client in
            _ = try await client.publish("weeds", file: fakeModel(3))
            let uri = try await client.upload(fakeModel(4), as: "weeds.tflite")
            let path = "/hub/v1/projects/my-plants/models/weeds"
            #expect(try await client.send(.post, "\(path)/versions", json: ["gcsTfliteUri": uri]).status == 200)
            let plan: [String: Any] = ["model": "weeds", "version": 2, "steps": [50, 100], "everySeconds": 600]
            #expect(try await client.send(.post, Self.rollouts, json: plan).status == 200)
            test.clock.advance(by: .seconds(1))
            _ = try await start(client)
            try await test.hub.records.database.write(in: nil) { db in
                _ = try db.change("UPDATE rollout SET content = :content WHERE id LIKE 'weeds%'", ["content": "{}"])
            }
            test.clock.advance(by: .seconds(60))
            await #expect {
                _ = try await test.hub.watchRollouts()
            } throws: { error in
                "\(error)".contains("weeds") && "\(error)".contains("cannot be read by this version of the hub")
            }
            let watched = try await test.hub.records.rollout(withIDOrOfModel: "plants", in: TestHub.project)
            #expect(watched?.rollout.watchTime == test.clock.now)
        }
    }

    @Test func anotherHubGoesOnAfterAKill() async throws {
        try await withVersions { test, client in
            _ = try await start(client, steps: [50, 100])
            for device in Self.devices {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                _ = try await Self.report(device, String(part), test, client)
            }
            for _ in 1...5 {
                test.clock.advance(by: .seconds(60))
                #expect(try await test.hub.watchRollouts().isEmpty)
            }
            try await test.withAnotherHub { other in
                // Both look; the time counts once.
                var finished = 0
                for _ in 1...5 {
                    test.clock.advance(by: .seconds(60))
                    finished += try await other.hub.watchRollouts().count { $0.change == .finished }
                    finished += try await test.hub.watchRollouts().count { $0.change == .finished }
                }
                #expect(finished == 1)
            }
            let shown = try await client.send(.get, "\(Self.rollouts)/plants")
            #expect(shown.text("state") == "FINISHED", "\(shown.text("reason") ?? "")")
            #expect(try await client.send(.get, Self.details).value("servedVersion") as? Int == 2)
            #expect(try await Self.check(nil, test, client).hash == sha256(fakeModel(2)))
        }
    }

    /// Apps of Firebase's SDKs learn of their group by Remote Config, in the same groups as downloads.
    @Test func aParameterTellsAppsTheirGroup() async throws {
        try await withVersions { test, client in
            try await client.putConfig(#"{"parameters":{"other":{"defaultValue":{"value":"1"}}}}"#)
            let plan: [String: Any] = [
                "model": "plants", "version": 2, "steps": [20, 60, 100], "everySeconds": 60,
                "parameter": "plants_rollout",
                "guards": ["latency"],
            ]
            #expect(try await client.send(.post, Self.rollouts, json: plan).text("parameter") == "plants_rollout")
            func expectSameGroups() async throws {
                for device in Self.devices.prefix(60) {
                    let body = "{\"app_instance_id\":\"\(device)\",\"app_id\":\"1:1:ios:ab\"}"
                    let entries = try await client.fetchConfig(body, key: test.apiKey).entries
                    let part = try await Self.check(device, test, client).part
                    #expect(entries?["plants_rollout"] == (part?.hasSuffix("uncompared") == true ? nil : part))
                    #expect(entries?["other"] == "1")
                }
            }
            try await expectSameGroups()
            // Somebody publishes another template; the next look mends it. Then the step follows, in both.
            try await client.putConfig(#"{"parameters":{"other":{"defaultValue":{"value":"1"}}}}"#)
            for device in Self.devices {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                if part != "uncompared" { _ = try await Self.report(device, String(part), test, client) }
            }
            for device in 0..<200 {
                // More devices, reported by a trusted program.
                for variant in ["new", "old"] {
                    let batch = """
                        {"batchId":"batch-\(device)-\(variant)","outcomes":[{"experimentId":"plants-v2","variantId":"\(variant)",
                          "model":"plants","count":1,"latency":{"count":1,"sum":40,"squares":1600,"histogram":{"69":1}}}]}
                        """
                    let target = "/hub/v1/projects/my-plants/outcomes"
                    #expect(try await client.post(target, batch).value("accepted") as? Int == 1)
                }
            }
            test.clock.advance(by: .seconds(60))
            #expect(try await test.hub.watchRollouts().map(\.change) == [.stepped])
            try await expectSameGroups()
            #expect(
                try await client.send(.post, "\(Self.rollouts)/plants:abort", json: [String: String]()).status == 200
            )
            try await expectSameGroups()
            let template = String(decoding: try await client.send(.get, TestClient.config).body, as: UTF8.self)
            #expect(!template.contains("plants-v2 new"))
        }
    }

    @Test func mistakesAreNamed() async throws {
        try await withVersions { _, client in
            let mistakes: [([String: Any], String)] = [
                (["model": "plants", "version": 1], "All devices already get version 1 of plants"),
                (["model": "plants", "version": 7], "has no version 7"),
                (["model": "roses", "version": 2], "has no model \"roses\""),
                (["model": "plants", "version": 2, "steps": [50, 20]], "each step must be greater"),
                (["model": "plants", "version": 2, "guards": ["speed"]], "\"speed\" is not a guard"),
                (["model": "plants", "version": 2, "everySeconds": 1], "from a minute to 90 days"),
            ]
            for (plan, message) in mistakes {
                let reply = try await client.send(.post, Self.rollouts, json: plan)
                #expect(reply.text("error.message")?.contains(message) == true, "\(reply.text("error.message") ?? "")")
            }
            let missing = try await client.send(.get, "\(Self.rollouts)/plants")
            #expect(missing.status == 404 && missing.text("error.message")?.contains("rollout list") == true)
        }
    }

    @Test func theConsoleShowsWhatHaltedARollout() async throws {
        try await withVersions { test, client in
            let browser = try await ConsoleClient.signedIn(client, test.publisher)
            #expect(try await browser.get("/console/rollouts").text.contains("No rollouts yet"))
            let fields = [
                "model": "plants", "version": "2", "steps": "50, 100", "hours": "1", "guard-latency": "latency",
            ]
            let wrong = try await browser.post("/console/rollouts", fields.merging(["score": "<b>"]) { $1 })
            #expect(wrong.status == 400 && wrong.text.contains("&lt;b&gt;") && wrong.text.contains("is not a guard"))
            #expect(wrong.text.contains("value=\"&lt;b&gt;\""))
            #expect(try await browser.post("/console/rollouts", fields).location == "/console/rollouts/plants-v2")
            for device in Self.devices {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                let latency =
                    40.0 + Double(device.utf8.last ?? 0).truncatingRemainder(dividingBy: 9)
                _ = try await Self.report(device, String(part), latency: latency, test, client)
            }
            for _ in 1...3 {
                test.clock.advance(by: .seconds(60))
                _ = try await test.hub.watchRollouts()
            }
            let running = try await browser.get("/console/rollouts/plants-v2").text
            #expect(
                running.contains("<polyline class=\"line line-1\"")
                    && running.contains("Return all devices to version 1")
            )
            #expect(try await browser.post("/console/rollouts/plants-v2/pause").status == 303)
            #expect(try await browser.get("/console/rollouts/plants-v2").text.contains("badge-warning\">Paused"))
            #expect(try await browser.post("/console/rollouts/plants-v2/abort").status == 303)
            let ended = try await browser.get("/console/rollouts/plants-v2").text
            #expect(
                ended.contains("Aborted: all devices return to version 1.")
                    && !ended.contains("<button class=\"button button-danger\"")
            )
            #expect(try await browser.get("/console/rollouts").text.contains("1 → 2"))
        }
    }

    @Test func aRolloutIsStartedFromWhatExists() async throws {
        try await withVersions { test, client in
            _ = try await client.publish("birds", file: fakeModel(3))
            let browser = try await ConsoleClient.signedIn(client, test.publisher)
            let id = try #require(try await test.hub.records.model(named: "plants", of: TestHub.project)?.id)
            // From the model's page.
            let page = try await browser.get("/console/models/\(id)").text
            let link = try #require(page.firstMatch(of: /href="([^"]+)">Roll out a version/)).1
            let form = try await browser.get(String(link)).text
            #expect(form.contains("<option value=\"plants\" selected>") && form.contains("<option value=\"birds\">"))
            // The form does not offer the served version.
            #expect(
                form.contains("<option value=\"2\" selected>Version 2: added") && !form.contains("Version 1: added")
            )
            for title in ["Failures", "Latency", "Confidence"] {
                #expect(form.contains(">\(title)</label>"), "\(title)")
            }
            #expect(form.contains("1 for a failed result, 0 for any other") && !form.contains("name=\"guards\""))
            let single = try await browser.get("/console/rollouts/%2B?model=birds").text
            #expect(single.contains("birds has no version but the served one."))
            // The scores that apps reported are guards.
            let plan = """
                {"experimentId":"ab","parameter":"model","exposurePercent":50,
                 "variants":[{"variantId":"a"},{"variantId":"b","value":"plants"}]}
                """
            _ = try await client.post("/hub/v1/projects/my-plants/experiments", plan)
            let batch = """
                {"batchId":"batch-0001","outcomes":[{"experimentId":"ab","variantId":"b","model":"plants","count":1,
                  "scores":{"accepted":{"count":1,"sum":1,"squares":1}}}]}
                """
            _ = try await client.post("/hub/v1/projects/my-plants/outcomes", batch)
            #expect(try await browser.get(String(link)).text.contains("value=\"score:accepted\""))
            // Without a version, the form says what to choose.
            let fields = [
                "model": "plants", "version": "", "steps": "50, 100", "hours": "1", "guard-latency": "latency",
            ]
            let refused = try await browser.post("/console/rollouts", fields)
            #expect(refused.status == 400 && refused.text.contains("No version was chosen"))
            let chosen = fields.merging(["version": "2", "guard-score-accepted": "score:accepted"]) { $1 }
            #expect(try await browser.post("/console/rollouts", chosen).status == 303)
            let started = try await client.send(.get, "\(Self.rollouts)/plants-v2")
            #expect(started.status == 200 && started.text("state") == "RUNNING")
        }
    }

    @Test func aRolloutThatEndsInItsFirstMinuteHasItsChart() async throws {
        try await withVersions { test, client in
            _ = try await start(client, steps: [50], guards: ["latency"])
            for device in Self.devices {
                let part = try #require(try await Self.check(device, test, client).part?.split(separator: " ").last)
                _ = try await Self.report(device, String(part), latency: part == "new" ? 90 : 40, test, client)
            }
            // The first look finds the harm.
            test.clock.advance(by: .seconds(50))
            _ = try await test.hub.watchRollouts()
            let browser = try await ConsoleClient.signedIn(client, test.publisher)
            let page = try await browser.get("/console/rollouts/plants-v2").text
            #expect(page.contains(">Halted</span>") && page.contains("<polyline class=\"line line-1\""))
        }
    }
}
