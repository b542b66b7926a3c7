import Foundation
import HTTPTypes
import ModelHubServer
import SightlineTestSupport
import Testing

/// Requests as Firebase's command line, Google's guides and the Admin SDKs send them.
@Suite(.hangLimit)
struct FirebaseToolTests {
    private static let namespace = "/v1/projects/\(TestHub.project)/namespaces/firebase"
    private static let server = "/v1/projects/\(TestHub.project)/namespaces/firebase-server"
    private static let base = """
        {"conditions":[{"name":"all","expression":"true"}],"parameters":{"model":{"defaultValue":{"value":"v1"}}}}
        """

    private func serve(_ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void) async throws {
        try await TestHub.with { test in try await test.serve { client in try await body(test, client) } }
    }

    // MARK: - Rollback

    /// `firebase remoteconfig:rollback` (rollback.ts) sends no body; Google's guide for agents writes `version_number`.
    @Test(arguments: [
        ("?versionNumber=1", ""), ("?version_number=1", ""), ("", #"{"version_number": "1"}"#),
        ("", #"{"versionNumber": 1}"#), ("?versionNumber=1", #"{"versionNumber":"1"}"#), ("?versionNumber=1", "{}"),
    ])
    func aRollbackNamesItsVersionInTheBodyOrTheQuery(query: String, body: String) async throws {
        try await serve { _, client in
            for number in 1...2 { try await client.putConfig(ConfigTemplate.with("percent <= \(number)")) }
            let reply = try await client.send(
                .post,
                TestClient.config + ":rollback" + query,
                headers: body.isEmpty ? [:] : [.contentType: "application/json"],
                body: body.isEmpty ? nil : Data(body.utf8)
            )
            #expect(reply.status == 200, "\(reply.message)")
            #expect(reply.text("version.rollbackSource") == "1")
        }
    }

    @Test(arguments: [("", ""), ("", "{}"), ("?versionNumber=1", #"{"versionNumber":"2"}"#), ("?versionNumber=x", "")])
    func aRollbackWithoutAClearVersionIsRefused(query: String, body: String) async throws {
        try await serve { _, client in
            for number in 1...3 { try await client.putConfig(ConfigTemplate.with("percent <= \(number)")) }
            let reply = try await client.post(TestClient.config + ":rollback" + query, body)
            #expect(reply.status == 400)
            #expect(try await client.send(.get, TestClient.config).text("version.versionNumber") == "3")
        }
    }

    // MARK: - Defaults

    private static let defaults = """
        {"conditions":[{"name":"c","expression":"true"}],"parameters":{"text":{"defaultValue":{"value":"a<b> & \\"c\\"\\n"},\
        "conditionalValues":{"c":{"value":"no"}}},"app":{"defaultValue":{"useInAppDefault":true}},"none":{}},\
        "parameterGroups":{"g":{"parameters":{"n":{"defaultValue":{"value":"1"},"valueType":"NUMBER"}}}}}
        """

    @Test func defaultsAreAFileThatAndroidReads() async throws {
        try await serve { _, client in
            try await client.putConfig(Self.defaults)
            let reply = try await client.send(.get, TestClient.config + ":downloadDefaults?format=XML")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType]?.hasPrefix("application/xml") == true)
            #expect(
                String(decoding: reply.body, as: UTF8.self) == """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <defaultsMap>
                        <entry>
                            <key>n</key>
                            <value>1</value>
                        </entry>
                        <entry>
                            <key>text</key>
                            <value>a&lt;b&gt; &amp; "c"
                    </value>
                        </entry>
                    </defaultsMap>

                    """
            )
        }
    }

    @Test func defaultsAreAPropertyListAndJSON() async throws {
        try await serve { _, client in
            try await client.putConfig(Self.defaults)
            let expected = ["n": "1", "text": "a<b> & \"c\"\n"]
            let list = try await client.send(.get, TestClient.config + ":downloadDefaults?format=PLIST")
            let values = try PropertyListSerialization.propertyList(from: list.body, format: nil) as? [String: String]
            #expect(values == expected)
            let json = try await client.send(.get, Self.namespace + "/remoteConfig:downloadDefaults?format=json")
            #expect(try JSONDecoder().decode([String: String].self, from: json.body) == expected)
        }
    }

    @Test func theDefaultsOfServersHaveTheirOwnNames() async throws {
        try await serve { _, client in
            let path = Self.server + "/remoteConfig"
            #expect(try await client.putConfig(ConfigTemplate.with("percent <= 1"), path: path).status == 200)
            let name = "projects/\(TestHub.project)/namespaces/firebase-server/remoteConfig"
            for target in [
                "\(TestClient.config):downloadDefaults?format=JSON&name=\(name)",
                "\(path):downloadDefaults?format=JSON",
            ] {
                let reply = try await client.send(.get, target)
                #expect(String(decoding: reply.body, as: UTF8.self) == #"{"p":"no"}"#)
            }
            let empty = try await client.send(.get, TestClient.config + ":downloadDefaults?format=JSON")
            #expect(String(decoding: empty.body, as: UTF8.self) == "{}")
            for query in ["", "?format=YAML", "?format=XML&name=projects/other/namespaces/firebase/remoteConfig"] {
                #expect(try await client.send(.get, TestClient.config + ":downloadDefaults" + query).status == 400)
            }
        }
    }

    // MARK: - Answers

    /// `FirebaseRemoteConfigIT.testValidateTemplate` of firebase-admin-java compares the version, too.
    @Test func aTemplateThatIsOnlyCheckedHasNoVersionOfTheHub() async throws {
        try await serve { _, client in
            let json = #"{"parameters":{"a":{}},"version":{"description":"d","versionNumber":"7"}}"#
            let checked = try await client.putConfig(json, query: "?validateOnly=true")
            #expect(
                String(decoding: checked.body, as: UTF8.self)
                    == #"{"parameters":{"a":{}},"version":{"description":"d"}}"#
            )
            let plain = try await client.putConfig(#"{"parameters":{"a":{}}}"#, query: "?validateOnly=true")
            #expect(String(decoding: plain.body, as: UTF8.self) == #"{"parameters":{"a":{}}}"#)
        }
    }

    /// `RemoteConfigServiceErrorResponse.java` reads `^\[(\w+)\]:`.
    @Test func messagesBeginWithTheCodeOfRemoteConfig() async throws {
        try await serve { _, client in
            let first = try await client.putConfig(ConfigTemplate.with("percent <= 1"))
            try await client.putConfig(ConfigTemplate.with("percent <= 2"))
            let stale = try await client.putConfig(ConfigTemplate.with("percent <= 3"), ifMatch: first.etag)
            #expect(stale.message.hasPrefix("[VERSION_MISMATCH]: The template changed"))
            for wrong in [ConfigTemplate.with("percent <"), #"{"parameter":{}}"#, "{"] {
                #expect(try await client.putConfig(wrong).message.hasPrefix("[VALIDATION_ERROR]: "))
            }
            let server = try await client.putConfig(
                ConfigTemplate.with("device.os == 'x'"),
                path: Self.server + "/remoteConfig"
            )
            #expect(server.message.hasPrefix("[VALIDATION_ERROR]: The condition"))
        }
    }

    /// `RCNConfigRealtime.m` looks for `"code": 403`, with a space as Google writes it.
    @Test func anAppleAppFindsTheCodeOfARefusal() async throws {
        try await serve { _, client in
            let target = Self.namespace + ":streamFetchInvalidations"
            let reply = try await client.send(.post, target, body: Data("{}".utf8), token: .some(nil))
            #expect(String(decoding: reply.body, as: UTF8.self).contains(#""code": 403,"#))
        }
    }

    /// `PercentCondition.java` of firebase-admin-java 9.10 reads the range for every operator.
    @Test(arguments: ["percent('s') <= 30", "percent('s') > 30"])
    func aServerTemplateHasARangeForEveryOperator(expression: String) async throws {
        try await serve { _, client in
            _ = try await client.putConfig(ConfigTemplate.with(expression), path: Self.server + "/remoteConfig")
            let reply = try await client.send(.get, Self.server + "/serverRemoteConfig")
            let text = String(decoding: reply.body, as: UTF8.self)
            #expect(text.contains(#""microPercentRange":{"microPercentLowerBound":0,"microPercentUpperBound":0}"#))
            #expect(text.contains(#""microPercent":30000000"#))
        }
    }

    @Test func aServerTemplateHasPatternsAndPlainNumbers() async throws {
        try await serve { _, client in
            let expression = "app.customSignal['a'].matches(['^x']) && app.customSignal['b'] < 0.00001"
            _ = try await client.putConfig(ConfigTemplate.with(expression), path: Self.server + "/remoteConfig")
            let reply = try await client.send(.get, Self.server + "/serverRemoteConfig")
            let text = String(decoding: reply.body, as: UTF8.self)
            #expect(text.contains(#""customSignalOperator":"STRING_CONTAINS_REGEX","targetCustomSignalValues":["^x"]"#))
            #expect(text.contains(#""targetCustomSignalValues":["0.00001"]"#))
        }
    }

    // MARK: - Experiments and rollouts

    private static let plan = """
        {"experimentId":"ab","parameter":"model","exposurePercent":40,\
        "variants":[{"variantId":"control"},{"variantId":"b","value":"v2","weight":3}]}
        """
    private static let experiments = "/hub/v1/projects/\(TestHub.project)/experiments"

    /// firebase-admin-node 14.3 leaves out `exposurePercent`; older tools drop it.
    @Test func anExperimentKeepsItsExposureIfAToolLeavesItOut() async throws {
        try await serve { _, client in
            try await client.putConfig(Self.base)
            #expect(try await client.post(Self.experiments, Self.plan).status == 200)
            let got = String(decoding: try await client.send(.get, TestClient.config).body, as: UTF8.self)
            let without = got.replacing(#""exposurePercent":40,"#, with: "")
            #expect(without != got)
            for query in ["?validateOnly=true", ""] {
                let put = try await client.putConfig(without, query: query)
                #expect(put.status == 200, "\(put.message)")
                #expect(String(decoding: put.body, as: UTF8.self).contains(#""exposurePercent":40,"#))
            }
            // An experiment that does not run has none.
            #expect(try await client.post(Self.experiments + "/ab:stop", "{}").status == 200)
            #expect(try await client.putConfig(without).status == 400)
        }
    }

    /// `firebase remoteconfig:experiments:list`, `…:get` and `…:delete` (listExperiments.ts, deleteExperiment.ts).
    @Test func experimentsAreListedForTheCommandLine() async throws {
        try await serve { _, client in
            let list = Self.namespace + "/experiments"
            let empty = try await client.send(.get, list + "?page_size=10")
            #expect(String(decoding: empty.body, as: UTF8.self) == #"{"experiments":[]}"#)
            try await client.putConfig(Self.base)
            #expect(try await client.post(Self.experiments, Self.plan).status == 200)
            let reply = try await client.send(.get, list + "?page_size=10")
            let first = try #require((reply.value("experiments") as? [[String: Any]])?.first)
            #expect((first["name"] as? String)?.hasSuffix("/namespaces/firebase/experiments/ab") == true)
            #expect(first["state"] as? String == "RUNNING")
            let one = try await client.send(.get, list + "/ab")
            #expect(one.text("definition.displayName") == "ab")
            let variants = one.value("definition.variants") as? [[String: Any]]
            #expect(variants?.map { $0["weight"] as? Int } == [1, 3])
            let refused = try await client.send(.delete, list + "/ab")
            #expect(refused.status == 400 && refused.message.contains("is running and cannot be deleted"))
            #expect(try await client.post(Self.experiments + "/ab:stop", "{}").status == 200)
            #expect(try await client.send(.get, list + "/ab").text("state") == "DONE")
            #expect(try await client.send(.get, list + "/none").status == 404)
            #expect(try await client.send(.get, list + "?filter=name:x").status == 400)
        }
    }

    /// `firebase remoteconfig:rollouts:list` (listRollouts.ts).
    @Test func rolloutsAreListedForTheCommandLine() async throws {
        try await serve { _, client in
            let list = Self.namespace + "/rollouts"
            let empty = try await client.send(.get, list)
            #expect(String(decoding: empty.body, as: UTF8.self) == #"{"rollouts":[]}"#)
            let value = #"{"rolloutValue":{"rolloutId":"r1","value":"x","percent":25}}"#
            let parameter = #"{"conditionalValues":{"all":\#(value)}}"#
            try await client.putConfig(
                #"{"conditions":[{"name":"all","expression":"true"}],"parameters":{"a":\#(parameter),"b":\#(parameter)}}"#
            )
            let rollouts = try await client.send(.get, list).value("rollouts") as? [[String: Any]]
            #expect(rollouts?.map { $0["state"] as? String } == ["RUNNING"])
            let one = try await client.send(.get, list + "/r1")
            #expect(one.value("definition.enabledVariant.weight") as? Int == 25)
            #expect(try await client.send(.delete, list + "/r1").message.contains("is a value in the template"))
            #expect(try await client.send(.get, list + "/r2").status == 404)
        }
    }
}
