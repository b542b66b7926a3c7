import Foundation
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RemoteConfigFetchTests {
    @Test func anAppGetsWhatItsConditionsSay() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("device.os == 'ios'"))
                let ios = try await client.fetchConfig(key: key)
                #expect(ios.status == 200)
                #expect(ios.text("state") == "UPDATE")
                #expect(ios.entries == ["p": "yes"])
                #expect(ios.text("templateVersion") == "1")
                let android = try await client.fetchConfig(#"{"appInstanceId":"x","appId":"1:1:android:ab"}"#, key: key)
                #expect(android.entries == ["p": "no"])
                #expect(android.etag != ios.etag)
            }
        }
    }

    @Test func whatTheIOSSDKSendsIsReadThoughItIsNoJSON() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(
                    ConfigTemplate.with(
                        "app.customSignal['city'].exactlyMatches(['Graz']) && app.userProperty['age'] >= 18"
                    )
                )
                let body = """
                    {app_instance_id:'cNhkfwNGTdKmDmVVEs3Qz9', app_instance_id_token:'abc', app_id:'1:1234:ios:ab', country_code:'DE', \
                    language_code:'de-DE', platform_version:'17.0', time_zone:'Europe/Berlin', package_name:'org.example', \
                    app_version:'1.0', app_build:'1', sdk_version:'12.0.0', first_open_time:'2026-01-01T00:00:00Z', \
                    analytics_user_properties:{"age":"20"}, custom_signals:{"city":"Graz","n":5}}
                    """
                let packed = try gzip(Data(body.utf8))
                #expect(packed.starts(with: [0x1F, 0x8B]))
                let reply = try await client.fetchConfig(packed, key: key, headers: [.contentEncoding: "gzip"])
                #expect(reply.entries == ["p": "yes"])
                // The JavaScript SDK says gzip and sends it plain.
                let plain = Data(#"{"sdk_version":"1","app_instance_id":"x","app_id":"1:1:web:1"}"#.utf8)
                let web = try await client.fetchConfig(plain, key: key, headers: [.contentEncoding: "gzip"])
                #expect(web.entries == ["p": "no"])
            }
        }
    }

    @Test func anUnchangedConfigurationIsSaidWithStatus200() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("percent <= 0"))
                let first = try await client.fetchConfig(key: key, etag: "*")
                #expect(first.text("state") == "UPDATE")
                let second = try await client.fetchConfig(key: key, etag: first.etag)
                #expect(second.status == 200)
                #expect(second.text("state") == "NO_CHANGE")
                #expect(second.etag == first.etag)
                #expect(second.entries == nil)
                // Another template that gives this installation the same is not a change to it.
                try await client.putConfig(ConfigTemplate.with("device.os == 'web'"))
                #expect(try await client.fetchConfig(key: key, etag: first.etag).text("state") == "NO_CHANGE")
                try await client.putConfig(ConfigTemplate.with("device.os == 'ios'"))
                let changed = try await client.fetchConfig(key: key, etag: first.etag)
                #expect(changed.text("state") == "UPDATE")
                #expect(changed.entries == ["p": "yes"])
            }
        }
    }

    @Test func statesSayWhatThereIs() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                #expect(try await client.fetchConfig(key: key).text("state") == "NO_TEMPLATE")
                try await client.putConfig("{}")
                #expect(try await client.fetchConfig(key: key).text("state") == "EMPTY_CONFIG")
                try await client.putConfig(#"{"parameters":{"a":{"defaultValue":{"useInAppDefault":true}}}}"#)
                let reply = try await client.fetchConfig(key: key)
                #expect(reply.text("state") == "UPDATE")
                #expect(reply.entries == [:])
            }
        }
    }

    @Test func theFirstTrueConditionOfTheListThatHasAValueCounts() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(
                    """
                    {"conditions":[{"name":"z","expression":"false"},{"name":"y","expression":"true"},{"name":"x","expression":"true"}],
                     "parameters":{
                       "first":{"defaultValue":{"value":"d"},"conditionalValues":{"x":{"value":"x"},"y":{"value":"y"},"z":{"value":"z"}}},
                       "later":{"defaultValue":{"value":"d"},"conditionalValues":{"x":{"value":"x"},"z":{"value":"z"}}},
                       "none":{"defaultValue":{"value":"d"},"conditionalValues":{"z":{"value":"z"}}},
                       "app":{"defaultValue":{"value":"d"},"conditionalValues":{"y":{"useInAppDefault":true},"x":{"value":"x"}}},
                       "bare":{"conditionalValues":{"z":{"value":"z"}}}},
                     "parameterGroups":{"g":{"parameters":{"grouped":{"defaultValue":{"value":"g\\"\\n\\u0001ü😀"}}}}}}
                    """
                )
                let entries = try await client.fetchConfig(key: key).entries
                #expect(
                    entries == ["first": "y", "later": "x", "none": "d", "grouped": "g\"\n\u{1}ü😀"]
                )
            }
        }
    }

    /// Every template of a thousand small ones gives what the rule says, found here in the plainest way.
    @Test func resolutionFollowsTheOrderOfConditions() throws {
        var random = RepeatableRandom(seed: 3)
        for _ in 0..<1000 {
            var template = ConfigTemplate()
            let truths = (0..<Int.random(in: 0...6, using: &random)).map { _ in Bool.random(using: &random) }
            for (index, truth) in truths.enumerated() {
                template.conditions.append(.init(name: "c\(index)", expression: "\(truth)"))
            }
            var expected: [String: String] = [:]
            for key in ["a", "b", "c"] {
                var parameter = ConfigTemplate.Parameter()
                if Bool.random(using: &random) { parameter.defaultValue = .text("default") }
                for index in truths.indices where Bool.random(using: &random) {
                    parameter.conditionalValues["c\(index)"] =
                        Int.random(in: 0..<4, using: &random) == 0 ? .inAppDefault : .text("\(index)")
                }
                template.parameters[key] = parameter
                let first = truths.indices.first { truths[$0] && parameter.conditionalValues["c\($0)"] != nil }
                let value = first.flatMap { parameter.conditionalValues["c\($0)"] } ?? parameter.defaultValue
                if case .text(let text) = value { expected[key] = text }
            }
            let again = try ConfigTemplate(json: template.json())
            #expect(again == template)
            let config = CompiledConfig(again, version: 1, experiments: [], projectNumber: 1)
            let reply = config.reply(to: ClientContext(installationID: "x"), now: .now)
            let json = try JSONSerialization.jsonObject(with: Data(reply.body.readableBytesView)) as? [String: Any]
            #expect(json?["entries"] as? [String: String] == expected)
        }
    }

    @Test func aRolloutReachesItsPartAndLeavesTheRestAsItWas() throws {
        let json = """
            {"conditions":[{"name":"all","expression":"true"}],"parameters":{"p":{"defaultValue":{"value":"old"},
             "conditionalValues":{"all":{"rolloutValue":{"rolloutId":"r1","value":"new","percent":20}}}}}}
            """
        let config = CompiledConfig(try ConfigTemplate(json: json), version: 1, experiments: [], projectNumber: 1)
        let count = (0..<5000).count { number in
            let reply = config.reply(to: ClientContext(installationID: "id-\(number)"), now: .now)
            let text = String(buffer: reply.body)
            #expect(text.contains("rolloutMetadata") == text.contains("\"p\":\"new\""))
            return text.contains("\"p\":\"new\"")
        }
        #expect((900...1100).contains(count))
    }

    @Test func aFetchNeedsAKeyAndWhereAskedForAnInstallation() async throws {
        try await TestHub.with { test in
            let (hub, key) = (test.hub, test.apiKey)
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("true"))
                #expect(try await client.fetchConfig(key: "wrong").status == 403)
                #expect(try await client.fetchConfig(key: "").text("error.status") == "PERMISSION_DENIED")
                var project = try #require(try await hub.projects().first { $0.id == TestHub.project })
                project.requiresInstallation = true
                try await hub.updateProject(project)
                #expect(try await client.fetchConfig(key: key).status == 401)
                let token = try hub.installationToken(
                    for: Installation(fid: FirebaseInstallationID.make(), app: "a", project: project.id)
                )
                let body = Data(#"{"app_instance_id":"x"}"#.utf8)
                #expect(
                    try await client.fetchConfig(body, key: key, headers: [.installationsAuth: token]).status == 200
                )
                let inBody = #"{"app_instance_id":"x","app_instance_id_token":"\#(token)"}"#
                #expect(try await client.fetchConfig(inBody, key: key).status == 200)
                let unknown = "/v1/projects/my-plants/namespaces/other:fetch?key=\(key)"
                #expect(try await client.send(.post, unknown, body: body, token: .some(nil)).status == 404)
                #expect(try await client.send(.get, TestClient.fetch, token: .some(nil)).status == 405)
            }
        }
    }

    @Test func hostileBodiesAreRefused() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("true"))
                for body in ["", "{", "[]", "{a}", "{'a':'b", String(repeating: "{a:", count: 10_000), "\u{0}"] {
                    #expect(try await client.fetchConfig(body, key: key).status == 400, "\(body.prefix(20))")
                }
                let bomb = try gzip(Data(repeating: 0x20, count: 50 << 20))
                #expect(bomb.count < 100_000)
                let reply = try await client.fetchConfig(bomb, key: key)
                #expect(reply.status == 400)
                #expect(reply.message.contains("inflates to more than 262144 bytes"))
                #expect(try await client.fetchConfig(Data([0x1F, 0x8B, 1, 2, 3]), key: key).status == 400)
                let many = (0..<101).map { "\"k\($0)\":1" }.joined(separator: ",")
                let signals = "{app_instance_id:'x',custom_signals:{\(many)}}"
                #expect(try await client.fetchConfig(signals, key: key).message.contains("more than 100"))
                #expect(try await client.fetchConfig(Data(repeating: 0x20, count: 300_000), key: key).status == 413)
            }
        }
    }

    @Test func noBytesMakeTheReadersTrap() {
        var random = RepeatableRandom(seed: 11)
        let samples = [
            "{app_instance_id:'x', custom_signals:{\"a\":\"\\u00e4\\ud83d\\ude00\",'b':-1.5e3,}, n:null, l:[true,false,],}",
            #"{"conditions":[{"name":"c","expression":"true"}],"parameters":{"p":{"defaultValue":{"value":"1"}}}}"#,
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var bytes = samples.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1 where bytes.count > 1: bytes.remove(at: place)
                default: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                }
            }
            _ = try? ClientContext(bytes)
            if let input = try? ConfigTemplate.read(bytes) {
                #expect((try? ConfigTemplate(json: input.template.json())) == input.template)
            }
        }
    }

    @Test func anotherProcesssChangeIsSeenByTheNextFetch() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("false"))
                #expect(try await client.fetchConfig(key: key).entries == ["p": "no"])
                // Another hub with the same records, as a command in another process is.
                try await test.withAnotherHub { other in
                    let project = try await other.hub.testProject()
                    _ = try await other.hub.publishConfig(
                        ConfigTemplate.with("true"),
                        replacing: "*",
                        by: .local(project)
                    )
                }
                // A hub with a database on another machine hears of the change a little later.
                while test.hub.records.isShared, try await client.fetchConfig(key: key).entries == ["p": "no"] {}
                #expect(try await client.fetchConfig(key: key).entries == ["p": "yes"])
            }
        }
    }

    @Test func manyFetchesWhileTemplatesChangeSeeOneOrTheOther() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                try await client.putConfig(ConfigTemplate.with("true", yes: "0"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for number in 1...20 {
                            try await client.putConfig(ConfigTemplate.with("true", yes: "\(number)"))
                        }
                    }
                    for _ in 0..<3 {
                        group.addTask {
                            var last = 0
                            for _ in 0..<40 {
                                let entry = try await client.fetchConfig(key: key).entries?["p"]
                                let number = try #require(entry.flatMap { Int($0) })
                                // Time does not run backwards.
                                #expect(number >= last)
                                last = number
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await client.fetchConfig(key: key).entries == ["p": "20"])
            }
        }
    }
}
