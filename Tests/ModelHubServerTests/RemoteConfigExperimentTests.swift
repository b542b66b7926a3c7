import Foundation
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

extension TestReply {
    /// The variant of the one experiment that a fetch describes.
    fileprivate var variant: String? {
        (value("experimentDescriptions") as? [[String: Any]])?.first?["variantId"] as? String
    }
}

@Suite(.hangLimit)
struct RemoteConfigExperimentTests {
    private static let experiments = "/hub/v1/projects/my-plants/experiments"
    private static let outcomes = "/hub/v1/projects/my-plants/outcomes"

    private static func plan(_ change: (key: String, value: String)? = nil) -> String {
        var fields = [
            "experimentId": #""ab""#, "parameter": #""model""#, "exposurePercent": "50",
            "variants": #"[{"variantId":"control"},{"variantId":"b","value":"plants_v2","weight":3}]"#,
        ]
        if let change { fields[change.key] = change.value }
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func body(_ id: String) -> String { "{\"app_instance_id\":\"\(id)\",\"app_id\":\"1:1:ios:ab\"}" }

    private static let base = #"{"parameters":{"model":{"defaultValue":{"value":"plants_v1"}}}}"#

    @Test func variantsAreDrawnByWeightAndTheRestIsAsBefore() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(Self.base)
                let started = try await client.post(Self.experiments, Self.plan())
                #expect(started.status == 200, "\(started.message)")
                #expect(started.text("state") == "RUNNING")
                var seen: [String] = []
                for number in 0..<400 { seen.append(try await Self.draw("id-\(number)", client, key)) }
                #expect(Set(seen) == ["plants_v1 none", "plants_v1 control", "plants_v2 b"])
                let others = seen.count { $0 == "plants_v1 none" }
                #expect((160...240).contains(others))
                let control = seen.count { $0 == "plants_v1 control" }
                #expect((30...75).contains(control))
            }
        }
    }

    /// The values for an installation: the parameter's value and the variant.
    private static func draw(_ id: String, _ client: TestClient, _ key: String) async throws -> String {
        let reply = try await client.fetchConfig(body(id), key: key)
        let value = try #require(reply.entries?["model"])
        guard let variant = reply.variant else { return "\(value) none" }
        let text = String(decoding: reply.body, as: UTF8.self)
        let description = #""affectedParameterKeys":["model"],"experimentId":"ab","experimentStartTime":"20"#
        #expect(text.contains(description))
        return "\(value) \(variant)"
    }

    @Test func nobodyMovesWhenTheExposureGrowsTheTemplateChangesOrTheHubIsOpenedAgain() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            let project = try #require(try await hub.projects().first { $0.id == TestHub.project })
            let caller = Caller.local(project)
            _ = try await hub.publishConfig(Self.base, replacing: "*", by: caller)
            func variants(_ hub: Hub) async throws -> [Int: String] {
                let config = try await hub.compiledConfig(of: project).config
                var variants: [Int: String] = [:]
                for number in 0..<3000 {
                    let text = String(
                        buffer: config.reply(to: ClientContext(installationID: "id-\(number)"), now: .now).body
                    )
                    variants[number] = text.firstMatch(of: /"variantId":"(\w+)"/).map { String($0.1) }
                }
                return variants
            }
            _ = try await hub.startExperiment(
                ExperimentPlan(
                    id: "ab",
                    parameter: "model",
                    variants: [
                        .init(id: "control", value: nil), .init(id: "b", value: "v2"), .init(id: "c", value: "v3"),
                    ],
                    exposurePercent: 10
                ),
                by: caller
            )
            let first = try await variants(hub)
            #expect((220...380).contains(first.count))
            _ = try await hub.exposeExperiment("ab", percent: 60, by: caller)
            let second = try await variants(hub)
            #expect((1600...2000).contains(second.count))
            #expect(second.filter { first[$0.key] != nil } == first)
            // Another process with the same records, as after a kill.
            try await test.withAnotherHub { again in
                let third = try await variants(again.hub)
                #expect(third == second)
            }
            await #expect(throws: HubError.self) { try await hub.exposeExperiment("ab", percent: 20, by: caller) }
        }
    }

    @Test func stoppingGivesAllWhatTheWinnerGot() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(Self.base)
                _ = try await client.post(Self.experiments, Self.plan())
                let stopped = try await client.post(Self.experiments + "/ab:stop", #"{"winner":"b"}"#)
                #expect(stopped.text("state") == "STOPPED")
                #expect(stopped.text("winner") == "b")
                let reply = try await client.fetchConfig(key: key)
                #expect(reply.entries == ["model": "plants_v2"])
                #expect(reply.value("experimentDescriptions") == nil)
                #expect(try await client.send(.get, TestClient.config).value("conditions") == nil)
                let again = try await client.post(Self.experiments + "/ab:stop", "{}")
                #expect(again.status == 400)
                // The template of the time when it ran cannot come back.
                let back = try await client.post(TestClient.config + ":rollback", #"{"versionNumber":"2"}"#)
                #expect(back.status == 400)
                #expect(back.message.contains("Version 2 cannot be restored"))
                let restart = try await client.post(Self.experiments, Self.plan())
                #expect(restart.status == 409)
            }
        }
    }

    @Test func anExperimentForAConditionConcernsNobodyElse() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(
                    """
                    {"conditions":[{"name":"ios","expression":"device.os == 'ios'"}],
                     "parameters":{"model":{"defaultValue":{"value":"v1"},"conditionalValues":{"ios":{"value":"v1_ios"}}}}}
                    """
                )
                let plan = Self.plan(("condition", #""ios""#)).replacing(
                    "\"exposurePercent\":50",
                    with: "\"exposurePercent\":100"
                )
                #expect(try await client.post(Self.experiments, plan).status == 200)
                for number in 0..<20 {
                    let ios = try await client.fetchConfig(Self.body("id-\(number)"), key: key)
                    #expect(["v1_ios", "plants_v2"].contains(ios.entries?["model"]))
                    #expect(ios.value("experimentDescriptions") != nil)
                    let web = try await client.fetchConfig(
                        "{app_instance_id:'id-\(number)',app_id:'1:1:web:a'}",
                        key: key
                    )
                    #expect(web.entries == ["model": "v1"])
                    #expect(web.value("experimentDescriptions") == nil)
                }
                _ = try await client.post(Self.experiments + "/ab:stop", #"{"winner":"b"}"#)
                #expect(try await client.fetchConfig(key: key).entries == ["model": "plants_v2"])
                #expect(try await client.fetchConfig("{app_id:'1:1:web:a'}", key: key).entries == ["model": "v1"])
            }
        }
    }

    @Test(arguments: [
        ("experimentId", #""a b""#, "cannot be an id"), ("parameter", #""1x""#, "cannot be a parameter's key"),
        ("exposurePercent", "0", "exposure must be above 0 %"), ("exposurePercent", "101", "at most 100 %"),
        ("condition", #""none""#, "has no condition \"none\""),
        ("variants", #"[{"variantId": "a"}]"#, "has 2 to 20 variants, not 1"),
        ("variants", #"[{"variantId": "a"}, {"variantId": "a"}]"#, "two variants \"a\""),
        ("variants", #"[{"variantId": "a"}, {"variantId": "b", "weight": 0}]"#, "has the weight 0"),
        ("variants", #"[{"variantId": "a"}, {"variantId": "<b>"}]"#, "cannot be an id"),
    ])
    func plansThatMakeNoSenseAreRefused(key: String, value: String, message: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.post(Self.experiments, Self.plan((key, value)))
                #expect([400, 404].contains(reply.status))
                #expect(reply.message.contains(message), "\(reply.message)")
                #expect(try await client.send(.get, TestClient.config).text("version.versionNumber") == "0")
            }
        }
    }

    @Test func anExperimentsValueInATemplateMustBeThatOfOneThatRuns() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.post(Self.experiments, Self.plan())
                let template = try await client.send(.get, TestClient.config)
                // As it is, it may be put again.
                #expect(try await client.putConfig(String(decoding: template.body, as: UTF8.self)).status == 200)
                let changed = String(decoding: template.body, as: UTF8.self).replacing(
                    "\"exposurePercent\":50",
                    with: "\"exposurePercent\":5"
                )
                let refused = try await client.putConfig(changed)
                #expect(refused.status == 400)
                #expect(refused.message.contains("does not run with these variants and this exposure"))
            }
        }
    }

    // MARK: - Outcomes

    private static func batch(_ id: String, variant: String) -> String {
        """
        {"batchId":"\(id)","outcomes":[{"experimentId":"ab","variantId":"\(variant)","model":"plants","count":4,
          "latency":{"count":4,"sum":40,"squares":400,"histogram":{"53":4}},
          "scores":{"liked":{"count":4,"sum":3,"squares":3}}}]}
        """
    }

    @Test func aBatchThatComesTwiceCountsOnce() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.post(Self.experiments, Self.plan())
                let batch = Self.batch("batch-0001", variant: "b")
                let first = try await client.post(Self.outcomes, batch)
                #expect(first.status == 200, "\(first.message)")
                #expect(first.value("accepted") as? Int == 1)
                let second = try await client.post(Self.outcomes, batch)
                #expect(second.value("repeated") as? Bool == true)
                let shown = try await client.send(.get, Self.experiments + "/ab")
                let outcome = try JSONDecoder().decode(Shown.self, from: shown.body)
                #expect(outcome.metrics.map(\.metric) == ["results", "latency", "score:liked"])
                #expect(outcome.metrics[2].variants.map(\.count) == [0, 4])
                #expect(outcome.metrics[2].variants[1].mean == 0.75)
                #expect(outcome.metrics[2].variants[1].models?.map(\.model) == ["plants"])
                let median = try #require(outcome.metrics[1].variants[1].percentiles?["p50"])
                #expect(abs(median - 10) < 0.5)
            }
        }
    }

    private struct Shown: Decodable {
        struct Total: Decodable {
            var variantId: String
            var model: String?
            var count: Int
            var mean: Double?
            var percentiles: [String: Double]?
            var models: [Total]?
        }

        struct Metric: Decodable {
            var metric: String
            var variants: [Total]
        }

        var metrics: [Metric]
    }

    @Test func anInstallationSpeaksForItsOwnVariantOnly() async throws {
        try await TestHub.with { test in
            let (hub, key) = (test.hub, test.apiKey)
            try await test.serve { client in
                _ = try await client.post(Self.experiments, Self.plan())
                let project = try #require(try await hub.projects().first { $0.id == TestHub.project })
                let experiment = try await hub.experiment("ab", by: .local(project))
                var accepted: [Int] = []
                for number in 0..<30 {
                    let installation = Installation(fid: FirebaseInstallationID.make(), app: "a", project: project.id)
                    let isOwn = CompiledAssignment.variant(of: installation.fid, in: experiment)?.id == "b"
                    let reply = try await client.send(
                        .post,
                        "\(Self.outcomes)?key=\(key)",
                        headers: [.installationsAuth: try hub.installationToken(for: installation)],
                        body: Data(Self.batch("batch-\(1000 + number)", variant: "b").utf8),
                        token: .some(nil)
                    )
                    #expect(reply.value("accepted") as? Int == (isOwn ? 1 : 0))
                    accepted.append(isOwn ? 1 : 0)
                }
                let outcome = try await hub.outcome(of: "ab", by: .local(project))
                #expect(outcome.metrics.first?.variants[1].total.sums.devices == accepted.reduce(0, +))
                let forged = try await client.send(
                    .post,
                    "\(Self.outcomes)?key=\(key)",
                    headers: [.installationsAuth: "forged"],
                    body: Data(Self.batch("batch-2000", variant: "b").utf8),
                    token: .some(nil)
                )
                #expect(forged.status == 401)
            }
        }
    }

    @Test(arguments: [
        (#"{"batchId":"x"}"#, "batchId: it has 8 to 64"), (#"{"batchId":"12345678"}"#, "it has no outcomes"),
        (#"{"batchId":"12345678","outcomes":[{"experimentId":"<b>"}]}"#, "experimentId: it has 1 to 40 letters"),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":0}]}"#,
            "count: it is not a whole number from 1"
        ),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":1,"latency":{"count":1,"sum":5,"squares":25,"histogram":{"0":2}}}]}"#,
            "its buckets do not have 1 values"
        ),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":1,"latency":{"count":1,"sum":5,"squares":25,"histogram":{"160":1}}}]}"#,
            "is not a bucket from 0 to 159"
        ),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":1,"scores":{"s":{"count":1,"sum":5,"squares":1}}}]}"#,
            "squares does not fit"
        ),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":1,"scores":{"s":{"count":1,"sum":1e300,"squares":1e300}}}]}"#,
            "the sum cannot be that"
        ),
        (
            #"{"batchId":"12345678","outcomes":[{"experimentId":"a","variantId":"b","model":"m","count":1,"scores":{"<script>":{"count":1,"sum":1,"squares":1}}}]}"#,
            "the name of a score"
        ),
    ])
    func reportsThatCannotBeAreRefusedWithTheirPlace(json: String, message: String) {
        let error = #expect(throws: HubError.self) { try OutcomeBatch(Array(json.utf8), installation: nil) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func namesThatClientsChooseAreBounded() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            let project = try #require(try await hub.projects().first { $0.id == TestHub.project })
            let plan = ExperimentPlan(
                id: "ab",
                parameter: "model",
                variants: [.init(id: "control", value: nil), .init(id: "b", value: "x")]
            )
            _ = try await hub.startExperiment(plan, by: .local(project))
            for number in 0..<30 {
                let records = (0..<20).map { score in
                    OutcomeBatch.Record(
                        experiment: "ab",
                        variant: "b",
                        model: "m\(number)",
                        metric: .score("s\(score)"),
                        count: 1,
                        sum: 1,
                        squares: 1
                    )
                }
                let batch = OutcomeBatch(id: "batch-\(number)", installation: [UInt8(number)], records: records)
                _ = try await hub.add(batch, by: .publisher, to: project)
            }
            let totals = try await hub.records.outcomes(of: "ab", of: project.id)
            #expect(totals.count == 400)
        }
    }
}
