import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct RemoteConfigTemplateTests {
    @Test func aProjectWithoutATemplateHasAnEmptyOneOfVersionZero() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.get, TestClient.config)
                #expect(reply.status == 200)
                #expect(reply.text("version.versionNumber") == "0")
                #expect(reply.value("parameters") == nil)
                // PHP's client needs the field.
                #expect(reply.value("version.updateUser") as? [String: String] == [:])
                #expect(reply.etag.hasSuffix("-0"))
            }
        }
    }

    @Test func anUnspecifiedTypeIsAText() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let put = try await client.putConfig(
                    #"{"parameters":{"a":{"defaultValue":{"value":"1"},"valueType":"PARAMETER_VALUE_TYPE_UNSPECIFIED"}}}"#
                )
                #expect(put.text("parameters.a.valueType") == "STRING")
            }
        }
    }

    @Test func aViewerThatPublishesGetsFirebasesCode() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(
                    .put,
                    TestClient.config,
                    headers: [.ifMatch: "*"],
                    body: Data("{}".utf8),
                    token: test.reader
                )
                #expect(reply.status == 403 && reply.text("error.status") == "PERMISSION_DENIED")
                #expect(reply.text("error.message")?.hasPrefix("[PERMISSION_DENIED]: ") == true)
            }
        }
    }

    @Test func whatIsPutIsGotWithItsVersionAndEtag() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let json = """
                    {"conditions":[{"name":"new ones","expression":"percent('a') <= 10","tagColor":"BLUE"}],
                     "parameters":{"model":{"defaultValue":{"value":"v1"},"conditionalValues":{"new ones":{"value":"v2"}},
                       "description":"which","valueType":"STRING"}},
                     "parameterGroups":{"g":{"description":"d","parameters":{"n":{"defaultValue":{"useInAppDefault":true}}}}},
                     "version":{"description":"first"}}
                    """
                let first = try await client.send(.get, TestClient.config)
                let put = try await client.putConfig(json, ifMatch: first.etag)
                #expect(put.status == 200)
                #expect(put.text("version.versionNumber") == "1")
                #expect(put.text("version.description") == "first")
                #expect(put.text("version.updateType") == "INCREMENTAL_UPDATE")
                #expect(put.etag.hasSuffix("1"))
                let got = try await client.send(.get, TestClient.config)
                #expect(got.body == put.body)
                #expect(got.etag == put.etag)
                let conditions = got.value("conditions") as? [[String: String]]
                #expect(
                    conditions == [["name": "new ones", "expression": "percent('a') <= 10", "tagColor": "BLUE"]]
                )
                #expect(got.text("parameters.model.valueType") == "STRING")
                #expect(got.value("parameterGroups.g.parameters.n.defaultValue.useInAppDefault") as? Bool == true)
                // The same below its namespace, and in snake case.
                let spelled = "/v1/projects/my-plants/namespaces/firebase/remoteConfig?version_number=1"
                #expect(try await client.send(.get, spelled).body == put.body)
            }
        }
    }

    @Test func aStaleEtagIsRefusedWithBothEtagsAndNothingIsLost() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let first = try await client.putConfig(ConfigTemplate.with("percent <= 1"))
                let second = try await client.putConfig(ConfigTemplate.with("percent <= 2"), ifMatch: first.etag)
                #expect(second.status == 200)
                let stale = try await client.putConfig(ConfigTemplate.with("percent <= 3"), ifMatch: first.etag)
                #expect(stale.status == 412)
                #expect(stale.text("error.status") == "FAILED_PRECONDITION")
                #expect(stale.message.contains(first.etag) && stale.message.contains(second.etag))
                #expect(stale.message.contains("VERSION_MISMATCH"))
                #expect(try await client.send(.get, TestClient.config).etag == second.etag)
                let none = try await client.putConfig(ConfigTemplate.with("percent <= 3"), ifMatch: nil)
                #expect(none.status == 412)
                #expect(none.message.contains(second.etag))
                let forced = try await client.putConfig(ConfigTemplate.with("percent <= 3"), ifMatch: "*")
                #expect(forced.text("version.updateType") == "FORCED_UPDATE")
                #expect(forced.text("version.versionNumber") == "3")
            }
        }
    }

    @Test(arguments: ["?validate_only=true", "?validateOnly=true"])
    func validationOnlyPublishesNothing(query: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let first = try await client.putConfig(ConfigTemplate.with("percent <= 1"))
                let checked = try await client.putConfig(
                    ConfigTemplate.with("percent <= 2"),
                    ifMatch: first.etag,
                    query: query
                )
                #expect(checked.status == 200)
                #expect(checked.etag.hasSuffix("-0"))
                let stale = try await client.putConfig(
                    ConfigTemplate.with("percent <= 2"),
                    ifMatch: "etag-x",
                    query: query
                )
                #expect(stale.status == 412)
                let wrong = try await client.putConfig(ConfigTemplate.with("percent <"), query: query)
                #expect(wrong.status == 400)
                #expect(try await client.send(.get, TestClient.config).etag == first.etag)
            }
        }
    }

    @Test func rollbackPublishesAnOldVersionAgain() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for number in 1...3 { try await client.putConfig(ConfigTemplate.with("percent <= \(number)")) }
                let back = try await client.post(TestClient.config + ":rollback", #"{"versionNumber":"1"}"#)
                #expect(back.status == 200)
                #expect(back.text("version.versionNumber") == "4")
                #expect(back.text("version.rollbackSource") == "1")
                #expect(back.text("version.updateType") == "ROLLBACK")
                let condition = (back.value("conditions") as? [[String: String]])?.first
                #expect(condition?["expression"] == "percent <= 1")
                let unknown = try await client.post(TestClient.config + ":rollback", #"{"versionNumber":99}"#)
                #expect(unknown.status == 404)
                #expect(unknown.message.contains("no version 99"))
                let audit = try await client.send(.get, "/hub/v1/projects/-/audit")
                #expect(String(decoding: audit.body, as: UTF8.self).contains("config.rollback"))
            }
        }
    }

    @Test func versionsAreListedPageByPageNewestFirst() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for number in 1...5 { try await client.putConfig(ConfigTemplate.with("percent <= \(number)")) }
                func numbers(_ query: String) async throws -> (numbers: [String], token: String?) {
                    let reply = try await client.send(.get, TestClient.config + ":listVersions?" + query)
                    #expect(reply.status == 200)
                    let versions = reply.value("versions") as? [[String: Any]] ?? []
                    return (versions.compactMap { $0["versionNumber"] as? String }, reply.text("nextPageToken"))
                }
                let first = try await numbers("pageSize=2")
                #expect(first.numbers == ["5", "4"])
                let second = try await numbers("page_size=2&pageToken=\(try #require(first.token))")
                #expect(second.numbers == ["3", "2"])
                let third = try await numbers("pageSize=2&pageToken=\(try #require(second.token))")
                #expect(third.numbers == ["1"])
                #expect(third.token == nil)
                #expect(try await numbers("endVersionNumber=2").numbers == ["2", "1"])
                #expect(try await numbers("startTime=2999-01-01T00:00:00Z").numbers == [])
                #expect(try await client.send(.get, TestClient.config + ":listVersions?pageToken=x").status == 400)
            }
        }
    }

    @Test func onlyTheLastVersionsAreKept() async throws {
        try await TestHub.with { test in
            let project = try #require(try await test.hub.projects().first { $0.id == TestHub.project })
            for _ in 0...TemplateVersion.limit {
                _ = try await test.hub.publishConfig("{}", replacing: "*", by: .local(project))
            }
            let versions = try await test.hub.configVersions(limit: 1000, by: .local(project))
            #expect(versions.count == Int(TemplateVersion.limit))
            #expect(versions.first?.number == TemplateVersion.limit + 1)
        }
    }

    @Test(arguments: [
        (
            #"{"parameters":{"a":{"defaultValue":{"value":1}}}}"#,
            "parameters.a.defaultValue.value: it is a number, not a text"
        ),
        (#"{"parameters":{"1a":{}}}"#, "parameters.1a: \"1a\" cannot be a parameter's key"),
        (
            "{\"conditions\":[],\n \"parameters\":{\"a\":{\"conditionalValues\":{\"x\":{\"value\":\"1\"}}}}}",
            "line 2, column 46, parameters.a.conditionalValues[\"x\"]: there is no condition \"x\""
        ),
        (
            #"{"conditions":[{"name":"c","expression":"percent <= 10 || true"}]}"#,
            "conditions[0].expression: the expression of \"c\" is wrong at character 15: || is not supported"
        ),
        (
            #"{"conditions":[{"name":"<b>","expression":"true"}]}"#,
            "conditions[0].name: \"<b>\" cannot be a condition's name"
        ),
        (
            #"{"conditions":[{"name":"c","expression":"true"},{"name":"c","expression":"true"}]}"#,
            "the condition \"c\" occurs twice"
        ),
        (#"{"parameter":{}}"#, "line 1, column 2, the template: the field \"parameter\" is unknown"),
        (#"{"parameters":{"a":{}},"parameterGroups":{"g":{"parameters":{"a":{}}}}}"#, "the key \"a\" occurs twice"),
        (#"{"parameters":{"a":{},"a":{}}}"#, "not JSON at line 1, column 23: the key \"a\" occurs twice"),
        ("{\"parameters\":\n{,}}", "not JSON at line 2, column 2: a key in double quotes is missing"),
        (#"{"parameters":{"a":{"valueType":"NUMBER","defaultValue":{"value":"x"}}}}"#, "\"x\" is not a number"),
        (
            #"{"parameters":{"a":{"valueType":"BOOLEAN","defaultValue":{"value":"x"}}}}"#,
            "\"x\" is neither true nor false"
        ),
        (
            #"{"parameters":{"a":{"valueType":"JSON","defaultValue":{"value":"{"}}}}"#,
            "the value is not JSON at line 1, column 2"
        ),
        (#"{"parameters":{"a":{"defaultValue":{"value":"x","useInAppDefault":true}}}}"#, "it has 2 of the fields"),
        (
            #"{"conditions":[{"name":"c","expression":"true"}],"parameters":{"a":{"conditionalValues":{"c":{"experimentValue":"#
                + #"{"experimentId":"e","variantValue":[],"exposurePercent":5}}}}}}"#,
            "the experiment \"e\", which does not run"
        ),
        (
            #"{"parameters":{"a":{"defaultValue":{"rolloutValue":{"rolloutId":"r","value":"x","percent":5}}}}}"#,
            "parameters.a.defaultValue: a default is a text or the app's default"
        ),
        (#"{"parameters":{"constructor":{}}}"#, "because every object of JavaScript has it"),
        (#"{"parameters":{"__proto__":{}}}"#, "because every object of JavaScript has it"),
        (#"{"parameters":{"g":{}},"parameterGroups":{"g":{}}}"#, "parameterGroups.g: a parameter has the same name"),
        (#"{"parameterGroups":{"g":{"parameters":{"g":{}}}}}"#, "parameterGroups.g: a parameter has the same name"),
        (#"{"conditions":[{"name":"c ","expression":"true"}]}"#, "\"c \" cannot be a condition's name"),
        (
            #"{"conditions":[{"name":"c","expression":"true","tagColor":"MAUVE"}]}"#,
            "\"MAUVE\" is not a color of Firebase"
        ),
        (
            "{\"version\":{\"description\":\"\(String(repeating: "x", count: 1025))\"}}",
            "version.description: it has more than 1024 characters"
        ),
        (#"{"parameters":{"a":{"default_value":{"value":"1"},"defaultValue":{"value":"1"}}}}"#, "occurs twice"),
        ("[1]", "it is a list, not an object"), ("", "a value is missing"),
    ])
    func whatIsWrongIsRefusedWithItsPlace(json: String, message: String) async throws {
        try await TestHub.with { test in
            let project = try #require(try await test.hub.projects().first { $0.id == TestHub.project })
            let error = await #expect(throws: HubError.self) {
                try await test.hub.publishConfig(json, replacing: "*", by: .local(project))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    /// Google's rule: `^-?(\d*\.)?\d+$`.
    @Test(arguments: ["1e5", "+1", "0x10", "1.", "-", "", ".", "--1", "1.2.3", " 1", "١", "inf", "nan"])
    func aNumberIsOnlyWhatFirebaseTakesForOne(text: String) throws {
        func template(_ text: String) -> String {
            #"{"parameters":{"a":{"valueType":"NUMBER","defaultValue":{"value":"\#(text)"}}}}"#
        }
        let error = #expect(throws: HubError.self) { try ConfigTemplate(json: template(text)) }
        #expect(error?.message.contains("is not a number") == true)
        for number in ["0", "-1", ".5", "-.5", "12.50"] {
            #expect(throws: Never.self) { try ConfigTemplate(json: template(number)) }
        }
    }

    /// JSON of protocol buffers has both names of a field.
    @Test func namesWithUnderscoresAreTheSameFields() throws {
        let usual = """
            {"conditions":[{"name":"c","expression":"true","tagColor":"BLUE"}],"parameterGroups":{"g":{"parameters":\
            {"a":{"defaultValue":{"useInAppDefault":true},"conditionalValues":{"c":{"value":"x"}},"valueType":"STRING"}}}}}
            """
        let other = usual.replacing("tagColor", with: "tag_color").replacing(
            "parameterGroups",
            with: "parameter_groups"
        )
        .replacing("defaultValue", with: "default_value").replacing("useInAppDefault", with: "use_in_app_default")
        .replacing("conditionalValues", with: "conditional_values").replacing("valueType", with: "value_type")
        #expect(try ConfigTemplate(json: other) == ConfigTemplate(json: usual))
    }

    @Test func templatesHaveTheLimitsOfFirebase() throws {
        let name = String(repeating: "n", count: 256)
        let purpose = String(repeating: "é", count: 1024)
        let value = String(repeating: "x", count: 1_050_000)
        let json = """
            {"conditions":[{"name":"\(name)","expression":"true"}],"parameters":{"a":{"defaultValue":{"value":"\(value)"}}},\
            "version":{"description":"\(purpose)"}}
            """
        #expect(throws: Never.self) { try ConfigTemplate(json: json) }
        #expect(throws: HubError.self) { try ConfigTemplate(json: json.replacing(name, with: name + "n")) }
    }

    @Test func endlessAndDeepTemplatesAreRefused() async throws {
        let value = String(repeating: "x", count: 1_050_001)
        let many = (0...2000).map { number in #"{"name":"c\#(number)","expression":"true"}"# }
        let refusals = [
            (String(repeating: "[", count: 100_000), "nest deeper than 32"),
            (#"{"parameters":{"a":{"defaultValue":{"value":"\#(value)"}}}}"#, "have more than 1050000 bytes"),
            (#"{"conditions":[\#(many.joined(separator: ","))]}"#, "more than 2000"),
            (String(repeating: " ", count: 5 << 20), "more than 4194304 bytes"),
        ]
        try await TestHub.with { test in
            // The hub closes the connection after it refused a large body.
            for (text, message) in refusals {
                try await test.serve { client in
                    let reply = try await client.putConfig(text)
                    #expect(reply.message.contains(message), "\(reply.message)")
                }
            }
        }
    }

    @Test func readersSeeTemplatesAndPublishersChangeThem() async throws {
        try await TestHub.with { test in
            let (reader, stranger, key) = (test.reader, test.stranger, test.apiKey)
            try await test.serve { client in
                #expect(try await client.send(.get, TestClient.config, token: reader).status == 200)
                let refused = try await client.send(
                    .put,
                    TestClient.config,
                    headers: [.ifMatch: "*"],
                    body: Data("{}".utf8),
                    token: reader
                )
                #expect(refused.status == 403)
                #expect(try await client.send(.get, TestClient.config, token: stranger).status == 403)
                #expect(try await client.send(.get, TestClient.config + "?key=\(key)", token: .some(nil)).status == 401)
                #expect(try await client.send(.delete, TestClient.config).status == 405)
                #expect(try await client.send(.get, TestClient.config + "x").status == 404)
            }
        }
    }

    @Test func aServerTemplateHasConditionsAsTreesAndNothingThatServersCannotKnow() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let path = "/v1/projects/my-plants/namespaces/firebase-server/remoteConfig"
                let expression =
                    "percent('s') between 0 and 25 && app.customSignal['n'].contains(['x']) && version(app.customSignal['v']) >= '1.2'"
                #expect(try await client.putConfig(ConfigTemplate.with(expression), path: path).status == 200)
                let got = try await client.send(
                    .get,
                    "/v1/projects/my-plants/namespaces/firebase-server/serverRemoteConfig"
                )
                #expect(got.etag.hasSuffix("1"))
                let tree = try #require((got.value("conditions") as? [[String: Any]])?.first?["condition"])
                let text = String(
                    decoding: try JSONSerialization.data(withJSONObject: tree, options: .sortedKeys),
                    as: UTF8.self
                )
                #expect(
                    text == """
                        {"orCondition":{"conditions":[{"andCondition":{"conditions":[{"percent":{"microPercentRange":\
                        {"microPercentLowerBound":0,"microPercentUpperBound":25000000},"percentOperator":"BETWEEN","seed":"s"}},\
                        {"customSignal":{"customSignalKey":"n","customSignalOperator":"STRING_CONTAINS",\
                        "targetCustomSignalValues":["x"]}},{"customSignal":{"customSignalKey":"v",\
                        "customSignalOperator":"SEMANTIC_VERSION_GREATER_EQUAL","targetCustomSignalValues":["1.2"]}}]}}]}}
                        """
                )
                let refused = try await client.putConfig(ConfigTemplate.with("device.os == 'ios'"), path: path)
                #expect(refused.message.contains("\"device.os == 'ios'\", which server SDKs do not support"))
                // The other namespace has nothing of it.
                #expect(try await client.send(.get, TestClient.config).text("version.versionNumber") == "0")
            }
        }
    }
}
