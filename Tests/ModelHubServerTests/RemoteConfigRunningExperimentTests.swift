import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A running experiment continues unchanged until somebody stops it. No change of the template ends it.
@Suite(.hangLimit)
struct RemoteConfigRunningExperimentTests {
    private static let experiments = "/hub/v1/projects/my-plants/experiments"
    private static let base = """
        {"conditions":[{"name":"ios","expression":"device.os == 'ios'"}],
         "parameters":{"model":{"defaultValue":{"value":"v1"}},"other":{"defaultValue":{"value":"1"}}}}
        """
    private static let plan = """
        {"experimentId":"ab","parameter":"model","variants":[{"variantId":"control"},{"variantId":"b","value":"v2"}]}
        """

    /// The plan as a value in the template.
    private static let value = """
        {"experimentValue":{"experimentId":"ab","exposurePercent":100,"variantValue":[{"noChange":true,"variantId":"control"},\
        {"value":"v2","variantId":"b"}]}}
        """

    /// Starts an experiment that all installations take part in.
    private func withExperiment(_ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                try await client.putConfig(Self.base)
                #expect(try await client.post(Self.experiments, Self.plan).status == 200)
                try await body(test, client)
            }
        }
    }

    /// Expects that the hub reports the experiment as running, with installations in it.
    private static func expectRunning(_ test: TestHub, _ client: TestClient) async throws {
        #expect(try await client.send(.get, experiments + "/ab").text("experiment.state") == "RUNNING")
        let reply = try await client.fetchConfig(key: test.apiKey)
        #expect((reply.value("experimentDescriptions") as? [Any])?.count == 1)
    }

    @Test(arguments: ["v1", "v2"])
    func aModelOfAVariantIsNotDeletedUntilItStops(_ name: String) async throws {
        try await withExperiment { test, client in
            let id = try await client.publish(name, file: fakeModel(1))
            let other = try await client.publish("v3", file: fakeModel(2))
            let refused = try await client.send(.delete, "\(TestClient.models)/\(id)")
            #expect(refused.status == 400)
            #expect(
                refused.message.contains("The experiment ab gives apps \(name); stop it with"),
                "\(refused.message)"
            )
            #expect(refused.message.contains("sightline hub experiment stop ab"))
            #expect(try await client.send(.delete, "\(TestClient.models)/\(other)").status == 200)
            #expect(try await client.post(Self.experiments + "/ab:stop", "{}").status == 200)
            #expect(try await client.send(.delete, "\(TestClient.models)/\(id)").status == 200)
        }
    }

    @Test func aRollbackThatWouldEndItIsRefused() async throws {
        try await withExperiment { test, client in
            let back = try await client.post(TestClient.config + ":rollback", #"{"versionNumber":"1"}"#)
            #expect(back.status == 400)
            #expect(back.text("error.status") == "FAILED_PRECONDITION")
            #expect(back.message.contains("Version 1 cannot be restored"))
            #expect(back.message.contains("sightline hub experiment stop ab"), "\(back.message)")
            try await Self.expectRunning(test, client)
            // A version of the time since it began can come back, and any once it was stopped.
            try await client.putConfig(
                String(decoding: try await client.send(.get, TestClient.config).body, as: UTF8.self)
                    .replacing(
                        #""other":{"defaultValue":{"value":"1"}}"#,
                        with: #""other":{"defaultValue":{"value":"2"}}"#
                    )
            )
            #expect(try await client.post(TestClient.config + ":rollback", #"{"versionNumber":"2"}"#).status == 200)
            try await Self.expectRunning(test, client)
            #expect(try await client.post(Self.experiments + "/ab:stop", "{}").status == 200)
            #expect(try await client.post(TestClient.config + ":rollback", #"{"versionNumber":"1"}"#).status == 200)
        }
    }

    /// The permitted changes of the template's JSON, and their messages.
    @Test(
        arguments: [
            // Everything is replaced, as by a script that makes templates.
            ("ALL", base, "does not have its condition"),
            (#""expression":"true""#, #""expression":"device.os == 'ios'""#, "changes the expression of its condition"),
            (#""name":"experiment ab""#, #""name":"experiment x""#, "no condition \"experiment ab\""),
            (#""model":{"conditional"#, #""renamed":{"conditional"#, "which does not run with these variants"),
            (
                #""exposurePercent":100"#, #""exposurePercent":50"#,
                "which does not run with these variants and this exposure"
            ),
            (value, #"{"value":"v2"}"#, "gives the parameter no values of the experiment"),
        ] as [(String, String, String)]
    )
    func aTemplateThatWouldEndOrChangeItIsRefused(text: String, other: String, message: String) async throws {
        try await withExperiment { test, client in
            let got = try await client.send(.get, TestClient.config)
            let current = String(decoding: got.body, as: UTF8.self)
            let changed = text == "ALL" ? other : current.replacing(text, with: other)
            #expect(changed != current)
            for etag in [got.etag, "*"] {
                for query in ["", "?validate_only=true"] {
                    let refused = try await client.putConfig(changed, ifMatch: etag, query: query)
                    #expect(refused.status == 400)
                    #expect(refused.message.contains(message), "\(refused.message)")
                }
            }
            #expect(try await client.send(.get, TestClient.config).etag == got.etag)
            try await Self.expectRunning(test, client)
        }
    }

    @Test func noOtherConditionMayTakeItsInstallations() async throws {
        try await withExperiment { test, client in
            let got = String(decoding: try await client.send(.get, TestClient.config).body, as: UTF8.self)
            let mine = #"{"expression":"true","name":"experiment ab"}"#
            let theirs = #"{"expression":"device.os == 'ios'","name":"ios"}"#
            let moved = got.replacing("\(mine),\(theirs)", with: "\(theirs),\(mine)")
            #expect(moved != got)
            // The order alone changes nothing for the parameter.
            #expect(try await client.putConfig(moved).status == 200)
            let value = #""conditionalValues":{"ios":{"value":"v3"},"experiment ab""#
            let taken = moved.replacing(#""conditionalValues":{"experiment ab""#, with: value)
            #expect(taken != moved)
            let refused = try await client.putConfig(taken)
            #expect(refused.status == 400)
            #expect(refused.message.contains("\"ios\" with a value of the parameter before"), "\(refused.message)")
            // After the experiment's own condition it is for those who do not take part.
            let after = got.replacing(#""conditionalValues":{"experiment ab""#, with: value)
            #expect(try await client.putConfig(after).status == 200)
            try await Self.expectRunning(test, client)
        }
    }

    @Test func theConsoleRefusesWhatWouldEndItAndSaysWhy() async throws {
        try await withExperiment { test, client in
            let browser = try await ConsoleClient.signedIn(client, test.publisher)
            let page = try await browser.get("/console/config/json").text
            let etag = String(try #require(page.firstMatch(of: /name="etag" value="([^"]+)"/)).1)
            let condition = "/console/config/conditions/experiment%20ab"
            let changes: [(String, [String: String])] = [
                ("/console/config/versions/1/rollback", [:]), ("\(condition)/delete", [:]),
                (condition, ["name": "experiment ab", "expression": "false", "color": ""]),
                ("/console/config/parameters/model/delete", [:]),
                (
                    "/console/config/parameters/model",
                    ["key": "renamed", "type": "STRING", "kind": "text", "value": "x"]
                ),
            ]
            for (path, fields) in changes {
                let reply = try await browser.post(path, fields.merging(["etag": etag]) { $1 })
                #expect(reply.status == 400, "\(path)")
                #expect(reply.text.contains("experiment"), "\(path)")
            }
            let edited = try await browser.upload("/console/config/json", ["etag": etag, "json": "{}"], files: [:])
            #expect(edited.status == 400 && edited.text.contains("does not have the parameter"))
            #expect(try await browser.get("/console/experiments/ab").text.contains("Running"))
            try await Self.expectRunning(test, client)
        }
    }

    @Test func aForcedPublicationCannotPassByAnExperimentThatBeginsMeanwhile() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let caller = Caller.local(project)
            let first = try await test.hub.publishConfig(Self.base, replacing: "*", by: caller)
            var count = 0
            let seen = try await test.hub.replacing("*", in: .client, by: caller) { current in
                count += 1
                if count == 1 {
                    let plan = ExperimentPlan(
                        id: "ab",
                        parameter: "model",
                        variants: [.init(id: "control", value: nil), .init(id: "b", value: "v2")]
                    )
                    _ = try await test.hub.startExperiment(plan, by: caller)
                    // A change that was checked against the first version must not replace the second.
                    _ = try await test.hub.publish(
                        first.template,
                        test.hub.newVersion("REST_API", "FORCED_UPDATE", caller),
                        in: .client,
                        replacing: current.etag,
                        by: caller,
                        "config.publish"
                    )
                }
                return current.version.number
            }
            #expect(seen == 2)
        }
    }
}
