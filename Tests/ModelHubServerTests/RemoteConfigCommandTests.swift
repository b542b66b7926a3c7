import AsyncHTTPClient
import Foundation
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct RemoteConfigCommandTests {
    private static func template(_ value: String) -> String {
        #"{"parameters":{"model":{"defaultValue":{"value":"\#(value)"}}}}"#
    }

    @Test func aTemplatesWholeLifeOnTheCommandLine() async throws {
        try await HubProgram.withProject { folder, run in
            let file = folder.appending(path: "config.json").path
            try Data(Self.template("v1").utf8).write(to: URL(filePath: file))
            #expect(try await run(["config", "diff", file]).output == "+ parameter model: \"v1\"\n")
            let first = try await run(["config", "set", file, "--message", "first"])
            #expect(first.output == "+ parameter model: \"v1\"\npublished as version 1\n", "\(first.errors)")
            #expect(first.errors.contains("Warning: model: The project has no model v1;"))
            #expect(try await run(["config", "set", file]).output == "nothing to change; version 1 stays in force\n")
            #expect(try await run(["config", "get", "--output", file]).output == "\(file)\n")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try Data(text.replacing("\"v1\"", with: "\"v2\"").utf8).write(to: URL(filePath: file))
            let change = "~ parameter model: \"v1\" → \"v2\"\n"
            #expect(try await run(["config", "set", file, "--check"]).output == change + "this could be published\n")
            #expect(try await run(["config", "set", file]).output == change + "published as version 2\n")
            let differ = try await run(["config", "diff", "1", "2"])
            #expect(differ.output == change)
            #expect(differ.status == 1)
            #expect(try await run(["config", "diff", "2", "2"]).status == 0)
            let back = try await run(["config", "rollback"])
            #expect(
                back.output == "~ parameter model: \"v2\" → \"v1\"\nversion 1 is in force again, as version 3\n"
            )
            let versions = try await run(["config", "versions"]).output.split(separator: "\n")
            #expect(versions.count == 4)
            #expect(versions[1].contains("rollback") && versions[3].contains("first"))
        }
    }

    @Test func aFileOfAnOldVersionIsRefusedAndBothChangesAreShown() async throws {
        try await HubProgram.withProject { folder, run in
            let (mine, theirs) = (folder.appending(path: "mine.json").path, folder.appending(path: "theirs.json").path)
            try Data(Self.template("v1").utf8).write(to: URL(filePath: mine))
            #expect(try await run(["config", "set", mine]).status == 0)
            for (file, value) in [(mine, "mine"), (theirs, "theirs")] {
                #expect(try await run(["config", "get", "--output", file]).status == 0)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                try Data(text.replacing("\"v1\"", with: "\"\(value)\"").utf8).write(to: URL(filePath: file))
            }
            #expect(try await run(["config", "set", theirs]).status == 0)
            let refused = try await run(["config", "set", mine])
            #expect(refused.status == 2)
            #expect(
                refused.output == """
                    changed by others, from version 1 to 2:
                    ~ parameter model: "v1" → "theirs"
                    changed in the file:
                    ~ parameter model: "v1" → "mine"

                    """
            )
            #expect(
                refused.errors.contains("mine.json is of version 1 (etag-")
                    && refused.errors.contains("has version 2 (etag-")
            )
            #expect(try await run(["config", "get"]).output.contains("\"theirs\""))
            #expect(try await run(["config", "set", mine, "--force"]).status == 0)
            #expect(try await run(["config", "get"]).output.contains("\"mine\""))
        }
    }

    @Test func mistakesInAFileAreSaidWithTheirPlace() async throws {
        try await HubProgram.withProject { folder, run in
            let file = folder.appending(path: "config.json").path
            try Data("{\n  \"parameters\": {\"a b\": {}}\n}".utf8).write(to: URL(filePath: file))
            let wrong = try await run(["config", "set", file])
            #expect(wrong.status == 2)
            #expect(
                wrong.errors.contains("config.json: The template is wrong at line 2, column 25, parameters.a b:"),
                "\(wrong.errors)"
            )
            #expect(
                try await run(["config", "set", folder.appending(path: "none").path]).errors.contains("cannot be read")
            )
        }
    }

    @Test func anExperimentsWholeLifeOnTheCommandLine() async throws {
        try await HubProgram.withProject { folder, run in
            let file = folder.appending(path: "config.json").path
            try Data(Self.template("v1").utf8).write(to: URL(filePath: file))
            #expect(try await run(["config", "set", file]).status == 0)
            let started = try await run([
                "experiment", "start", "ab", "--parameter", "model", "--variant", "control", "--variant", "b=v2",
                "--weights", "1,3",
                "--exposure", "20",
            ])
            #expect(started.output == "ab: runs on model, 20 % of installations take part\n", "\(started.errors)")
            // Neither a rollback nor a file without it ends it.
            let back = try await run(["config", "rollback", "--to", "1"])
            #expect(back.status == 2)
            #expect(back.errors.contains("sightline hub experiment stop ab"), "\(back.errors)")
            #expect(try await run(["config", "set", file, "--force"]).errors.contains("does not have its condition"))
            #expect(try await run(["config", "set", file, "--force", "--check"]).status == 2)
            #expect(try await run(["experiment", "expose", "ab", "50"]).status == 0)
            #expect(try await run(["experiment", "expose", "ab", "10"]).errors.contains("can only grow"))
            let list = try await run(["experiment", "show"]).output
            #expect(list.contains("ab  running  model      control b      50 %"), "\(list)")
            let shown = try await run(["experiment", "show", "ab"]).output
            #expect(shown.contains("ab: running since 20") && shown.contains("  b = v2, weight 3\n"))
            #expect(shown.hasSuffix("\nThere are no reports to compare yet.\n"), "\(shown)")
            #expect(
                try await run(["experiment", "stop", "ab", "--winner", "none"]).errors.contains(
                    "has no variant \"none\""
                )
            )
            #expect(try await run(["experiment", "stop", "ab", "--winner", "b"]).output == "ab: stopped, all get b\n")
            #expect(try await run(["config", "get"]).output.contains("\"value\" : \"v2\""))
            #expect(try await run(["experiment", "start", "x", "--parameter", "p", "--variant", "a"]).status == 64)
        }
    }

    @Test func missingModelsAreSaidWhenExperimentsBeginAndEndAndWhenModelsGo() async throws {
        try await HubProgram.withProject { folder, run in
            let model = TestData.fixture("models/classifier_float_metadata.tflite").path
            #expect(try await run(["publish", "birds", model]).status == 0)
            let file = folder.appending(path: "config.json").path
            let json = #"{"parameters":{"bird_model":{"defaultValue":{"value":"birds"}}}}"#
            try Data(json.utf8).write(to: URL(filePath: file))
            #expect(try await run(["config", "set", file]).errors.isEmpty)
            let start = ["experiment", "start", "ab", "--parameter", "bird_model", "--variant", "control", "--variant"]
            let started = try await run(start + ["new=nosuch"])
            let warning = "Warning: bird_model: The project has no model nosuch; upload it, or correct the name."
            #expect(started.status == 0 && started.errors.contains(warning), "\(started.errors)")
            #expect(
                try await run(["unpublish", "birds"]).errors.contains(
                    "Remote Config names birds: parameter bird_model."
                )
            )
            let stopped = try await run(["experiment", "stop", "ab", "--winner", "new"])
            #expect(stopped.output == "ab: stopped, all get new\n" && stopped.errors.contains(warning))
            #expect(try await run(["config", "rollback", "--to", "1"]).status == 0)
            let deleted = try await run(["delete", "birds", "--yes"])
            #expect(deleted.output == "birds: deleted\n")
            #expect(deleted.errors.contains("Remote Config names birds: parameter bird_model."), "\(deleted.errors)")
        }
    }

    @Test func whatFirebaseDoesNotHaveIsWarnedAbout() async throws {
        try await HubProgram.withProject { folder, run in
            let file = folder.appending(path: "config.json").path
            let json = """
                {"conditions":[{"name":"c","expression":"device.country in ['Germany', 'AT']"}],"parameters":{"a":{"conditionalValues":\
                {"c":{"rolloutValue":{"rolloutId":"r","value":"x","percent":60}}}}}}
                """
            try Data(json.utf8).write(to: URL(filePath: file))
            let set = try await run(["config", "set", file])
            #expect(set.status == 0)
            #expect(
                set.errors.contains("The condition \"c\": \"Germany\" is not the code of a country"),
                "\(set.errors)"
            )
            #expect(set.errors.contains("a: The rollout r has 60 %"))
            // The code for Google's SDKs is not for people.
            let stale = try await run(["config", "set", file, "--server"])
            #expect(stale.errors.contains("sightline: The condition \"c\" contains"), "\(stale.errors)")
        }
    }

    /// A hub that is killed while an experiment runs gives everybody the same again, and has what it said it had.
    @Test func aKilledHubForgetsNeitherVariantsNorOutcomes() async throws {
        try await HubProgram.withProject { folder, run in
            let data = folder.appending(path: "hub")
            let file = folder.appending(path: "config.json").path
            try Data(Self.template("v1").utf8).write(to: URL(filePath: file))
            #expect(try await run(["config", "set", file]).status == 0)
            let arguments = ["--parameter", "model", "--variant", "control", "--variant", "b=v2", "--exposure", "60"]
            #expect(try await run(["experiment", "start", "ab"] + arguments).status == 0)
            let key = try await run(["key", "create", "--api-key", "app"]).output.trimmingCharacters(in: .newlines)
            var answers: [[String]] = []
            for round in 0..<3 {
                let server = try await HubProgram.Server(data: data, arguments: ["--rate-limit", "0"])
                let base = "http://127.0.0.1:\(server.port)"
                var entries: [String] = []
                for number in 0..<40 {
                    let body = "{app_instance_id:'id-\(number)'}"
                    let address = "\(base)/v1/projects/my-plants/namespaces/firebase:fetch?key=\(key)"
                    entries.append(try await Self.post(address, body))
                }
                answers.append(entries)
                let batch = """
                    {"batchId":"batch-000\(round)","outcomes":[{"experimentId":"ab","variantId":"b","model":"v2","count":\(round + 1)}]}
                    """
                let reply = try await Self.post("\(base)/hub/v1/projects/my-plants/outcomes?key=\(key)", batch)
                #expect(reply.contains("\"accepted\":1"))
                server.kill()
            }
            #expect(answers[0] == answers[1] && answers[1] == answers[2])
            #expect(Set(answers[0]).count > 2)
            let shown = try await run(["experiment", "show", "ab", "--format", "json"]).output
            #expect(shown.contains("\"count\":6"), "\(shown)")
        }
    }

    private static func post(_ address: String, _ body: String) async throws -> String {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.body = .bytes(Data(body.utf8))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        return String(buffer: try await response.body.collect(upTo: 1 << 20))
    }
}
