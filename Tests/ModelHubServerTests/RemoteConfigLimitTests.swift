import Foundation
import HTTPServing
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RemoteConfigLimitTests {
    // MARK: - What clients say

    @Test(arguments: [
        (#"{app_instance_id:'x',custom_signals:{city:'LONG'}}"#, "a value of \"city\" that is longer than 500"),
        (
            #"{app_instance_id:'x',analytics_user_properties:{plan:'LONG'}}"#,
            "a value of \"plan\" that is longer than 500"
        ),
        (#"{app_instance_id:'x',custom_signals:{LONG:1}}"#, "A key of custom_signals is longer than 250"),
        (#"{app_instance_id:'x',app_version:'LONG'}"#, "app_version is longer than 500"),
    ])
    func anAppIsRefusedThatSaysMoreOfItselfThanFirebasesSDKsLet(body: String, message: String) async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("app.customSignal['city'].contains(['a'])"))
                let long = String(repeating: "x", count: 501)
                let reply = try await client.fetchConfig(body.replacing("LONG", with: long), key: key)
                #expect(reply.status == 400)
                #expect(reply.message.contains(message), "\(reply.message)")
                // 500 letters of three bytes each are what Android and iOS let through.
                let most = String(repeating: "あ", count: 500)
                let taken = "{app_instance_id:'x',custom_signals:{city:'\(most)'}}"
                #expect(try await client.fetchConfig(taken, key: key).status == 200)
            }
        }
    }

    // MARK: - What templates ask for

    /// A template of conditions, each with the same expression.
    private static func template(_ count: Int, _ expression: String) -> String {
        let conditions = (0..<count).map { "{\"name\":\"c\($0)\",\"expression\":\"\(expression)\"}" }
        return "{\"conditions\":[\(conditions.joined(separator: ","))]}"
    }

    @Test func allConditionsTogetherCompareWithALimitedNumberOfValues() throws {
        let values = (0..<1000).map { "'v\($0)'" }.joined(separator: ",")
        let expression = "app.customSignal['k'].contains([\(values)])"
        #expect(throws: Never.self) { try ConfigTemplate(json: Self.template(20, expression)) }
        let error = #expect(throws: HubError.self) { try ConfigTemplate(json: Self.template(21, expression)) }
        #expect(error?.message.contains("conditions[20].expression") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("compare with more than 20000 values") == true)
        let terms = Array(repeating: "true", count: 50).joined(separator: "&&")
        #expect(throws: HubError.self) { try ConfigTemplate(json: Self.template(401, terms)) }
    }

    @Test func aTemplateThatIsStoredHasALimitedSize() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let expression = "app.customSignal['k'].contains(['\(String(repeating: "x", count: 16_000))'])"
            let error = await #expect(throws: HubError.self) {
                try await test.hub.publishConfig(Self.template(140, expression), replacing: "*", by: .local(project))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("bytes of JSON, more than 2097152") == true, "\(error?.message ?? "")")
        }
    }

    @Test func oldVersionsGoWhenAllTogetherAreTooLarge() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let json = String(repeating: "x", count: TemplateVersion.byteLimit / 4)
            var etag = project.firstTemplateEtag
            for _ in 0..<6 {
                let version = test.hub.newVersion("REST_API", "FORCED_UPDATE", .local(project))
                let draft = TemplateDraft(
                    project: project,
                    namespace: .client,
                    json: json,
                    replaces: etag,
                    version: version
                )
                let audit = test.hub.audit(.local(project), "config.publish", "")
                etag = try await test.hub.records.insert(draft, experiment: nil, audit: audit).etag
            }
            let versions = try await test.hub.configVersions(limit: 1000, by: .local(project))
            #expect(versions.map(\.number) == [6, 5, 4, 3])
        }
    }

    // MARK: - Work

    private static func compiled(_ json: String) throws -> CompiledConfig {
        CompiledConfig(try ConfigTemplate(json: json), version: 1, experiments: [], projectNumber: 1)
    }

    @Test func howLongAFetchTakesIsKnownBeforeItIsBegun() throws {
        var client = ClientContext(installationID: "x")
        let usual = try Self.compiled(
            Self.template(1000, "app.version.>=(['2.0']) && device.country in ['AT','DE'] && percent('s') <= 5")
        )
        #expect(usual.work.nanoseconds(for: client) < EvaluationWork.quick)
        let values = (0..<1000).map { "'v\($0)'" }.joined(separator: ",")
        let searching = try Self.compiled(Self.template(20, "app.customSignal['k'].contains([\(values)])"))
        #expect(searching.work.nanoseconds(for: client) < EvaluationWork.quick)
        client.customSignals["k"] = String(repeating: "あ", count: 500)
        #expect(searching.work.nanoseconds(for: client) > EvaluationWork.quick)
        let seeds = (0..<50).map { "percent('SEED\($0)') <= 5" }.joined(separator: " && ")
        let conditions = (0..<100).map { index in
            "{\"name\":\"c\(index)\",\"expression\":\"\(seeds.replacing("SEED", with: "s\(index)_"))\"}"
        }
        let hashing = try Self.compiled("{\"conditions\":[\(conditions.joined(separator: ","))]}")
        #expect(hashing.work.nanoseconds(for: client) > EvaluationWork.quick)
    }

    /// A hostile pattern and text, which engines that try alternatives one by one never finish.
    @Test func aPatternIsSearchedInTimeThatIsKnownBefore() throws {
        var client = ClientContext(installationID: "x")
        client.customSignals["k"] = String(repeating: "a", count: 500)
        let hostile = try Self.compiled(Self.template(1, "app.customSignal['k'].matches(['(a*)*(a|aa)+b{0,200}c$'])"))
        #expect(hostile.work.nanoseconds(for: client) > EvaluationWork.quick)
        _ = hostile.reply(to: client, now: .now)
        let quick = try Self.compiled(Self.template(1, "app.version.matches(['^2\\\\.[0-9]+'])"))
        #expect(quick.work.nanoseconds(for: client) < EvaluationWork.quick)
        // The steps of all patterns together are limited like other values.
        let large = "app.customSignal['k'].matches(['a{990}'])"
        #expect(throws: Never.self) { try ConfigTemplate(json: Self.template(20, large)) }
        #expect(throws: HubError.self) { try ConfigTemplate(json: Self.template(21, large)) }
    }

    @Test func aLongFetchCountsAsSeveralRequests() async throws {
        try await TestHub.with { test in
            let (hub, key) = (test.hub, test.apiKey)
            let project = try await hub.testProject()
            // Terms that are equal are evaluated once.
            let conditions = (0..<20).map { index in
                let values = (0..<1000).map { "'v\($0)-\(index)'" }.joined(separator: ",")
                return "{\"name\":\"c\(index)\",\"expression\":\"app.customSignal['k'].contains([\(values)])\"}"
            }
            _ = try await hub.publishConfig(
                "{\"conditions\":[\(conditions.joined(separator: ","))]}",
                replacing: "*",
                by: .local(project)
            )
            var options = HTTPService.Options.patient
            options.rateLimit = 1
            try await test.serve(options) { client in
                let signal = String(repeating: "あ", count: 500)
                let body = "{app_instance_id:'x',custom_signals:{k:'\(signal)'}}"
                var last: TestReply?
                var taken = 0.0
                let start = ContinuousClock.now
                while taken < 40 {
                    last = try await client.fetchConfig(body, key: key)
                    if last?.status != 200 { break }
                    taken += 1
                }
                #expect(last?.status == 429)
                // Ten requests at once are allowed, and one a second. Half of the ten is what a fetch counts at most, beside itself.
                let allowed = 10 + (ContinuousClock.now - start) / .seconds(1)
                #expect(taken <= allowed / 6)
                #expect(last?.headers[.retryAfter] != nil)
            }
        }
    }

    // MARK: - Texts

    private func holds(_ expression: String, signal: String) throws -> Bool {
        var client = ClientContext(installationID: "x")
        client.customSignals = ["k": signal]
        var names = ConditionNames()
        let condition = CompiledCondition(try ConditionExpression(expression), names: &names)
        var state = EvaluationState(client: client, now: .now, names: names)
        return condition.holds(&state)
    }

    @Test func textsThatUnicodeTakesForEqualAreEqual() throws {
        let (composed, decomposed) = ("Gr\u{FC}n", "Gru\u{308}n")
        for (value, signal) in [(composed, decomposed), (decomposed, composed)] {
            #expect(try holds("app.customSignal['k'].contains(['\(value)'])", signal: "Hell\(signal)e"))
            #expect(try holds("app.customSignal['k'].exactlyMatches(['\(value)'])", signal: signal))
            #expect(try !holds("app.customSignal['k'].notContains(['\(value)'])", signal: signal))
        }
        // The letter with its accent is another letter.
        #expect(try !holds("app.customSignal['k'].contains(['Gru'])", signal: decomposed))
        #expect(try holds("app.customSignal['k'].contains([''])", signal: ""))
        #expect(try !holds("app.customSignal['k'].contains(['x'])", signal: ""))
    }

    // MARK: - Times

    @Test(arguments: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"])
    func aTimeIsThatOfTheCalendar(name: String) throws {
        var random = RepeatableRandom(seed: 5)
        var calendar = Calendar(identifier: .gregorian)
        let zone = try #require(TimeZone(identifier: name))
        calendar.timeZone = zone
        for _ in 0..<500 {
            let moment = Date(timeIntervalSince1970: Double(Int.random(in: 0..<4_000_000_000, using: &random)))
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: moment)
            // The later of two equal times of a day cannot be said.
            let isRepeated = zone.secondsFromGMT(for: moment) < zone.secondsFromGMT(for: moment - 7200)
            if isRepeated { continue }
            let text = String(
                format: "%04d-%02d-%02dT%02d:%02d:%02d",
                parts.year ?? 0,
                parts.month ?? 0,
                parts.day ?? 0,
                parts.hour ?? 0,
                parts.minute ?? 0,
                parts.second ?? 0
            )
            let time = ConditionTime(text, zone: name)
            #expect(time?.moment == Timestamp(milliseconds: Int64(moment.timeIntervalSince1970) * 1000), "\(text)")
        }
    }

    @Test(arguments: [
        // Clocks are set forward at two, and back at three.
        ("2027-03-28T01:59:59", "2027-03-28T00:59:59.000Z"), ("2027-03-28T02:30:00", "2027-03-28T01:30:00.000Z"),
        ("2027-03-28T03:00:00", "2027-03-28T01:00:00.000Z"), ("2027-10-31T02:30:00", "2027-10-31T00:30:00.000Z"),
        ("2027-10-31T03:00:00", "2027-10-31T02:00:00.000Z"),
    ])
    func aTimeIsClearWhenClocksChange(text: String, moment: String) throws {
        let time = try #require(ConditionTime(text, zone: "Europe/Berlin"))
        let date = Date(timeIntervalSince1970: Double(time.moment.milliseconds) / 1000)
        #expect(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) == moment)
    }

    @Test(arguments: [
        "2027-02-29T00:00:00", "2100-02-29T00:00:00", "2027-04-31T00:00:00", "2027-13-01T00:00:00",
        "2027-00-01T00:00:00",
        "2027-01-00T00:00:00", "2027-01-01T24:00:00", "2027-01-01T00:60:00", "2027-01-01T00:00:60",
        "2027-01-01 00:00:00",
        "2027-01-01T00:00", "2027-1-01T00:00:00", "", "2027-01-01T00:00:00Z", "２027-01-01T00:00:00",
    ])
    func whatIsNoTimeIsRefused(text: String) {
        #expect(ConditionTime(text, zone: nil) == nil)
        #expect(ConditionTime("2028-02-29T00:00:00", zone: nil) != nil)
        #expect(ConditionTime("2027-01-01T00:00:00", zone: "Nowhere/None") == nil)
    }

    // MARK: - Looks

    @Test func whatIsShownInLinesIsTheJSONThatIsStored() throws {
        let json = """
            {"conditions":[{"expression":"app.id == '{\\\\\\"[x]:,'","name":"c"}],"parameters":{"a":{"conditionalValues":\
            {"c":{"rolloutValue":{"percent":12.5,"rolloutId":"r","value":"é\\n"}}},"defaultValue":{"value":"{\\"b\\":[1,2]}"}}}}
            """
        let template = try ConfigTemplate(json: json)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        #expect(template.json(pretty: true) == String(decoding: try encoder.encode(template), as: UTF8.self))
        #expect(ConfigTemplate().json(pretty: true) == "{}")
    }

    @Test func aLongChangeIsShownInPart() {
        let old = (0..<3000).map { "old \($0)" }.joined(separator: "\n")
        let diff = DiffView(from: old, to: old.replacing("old", with: "new"))
        #expect(diff.lines.count == 2001)
        #expect(diff.lines.last?.text == "… and 4,000 more lines")
    }
}
