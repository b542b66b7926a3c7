import Foundation
import HubTestSupport
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit, .waitsForPrograms)
struct HubCommandTests {
    private static let model = TestData.fixture("models/classifier_float.tflite").path

    @Test func publishIsAllItTakesAndPacksTheLabels() async throws {
        try await HubProgram.withProject { folder, run in
            let labels = folder.appending(path: "dict.txt")
            try Data("rose\ntulip\ndaisy\n".utf8).write(to: labels)
            let published = try run(["publish", "plants", Self.model, "--labels", labels.path, "--tag", "flowers"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(published.output.hasPrefix("plants: published, "))
            let shown = try run(["show", "plants"]).output
            #expect(shown.contains("3: rose, tulip, daisy"))
            #expect(shown.contains("classifier of 3 classes"))
            let target = folder.appending(path: "got.tflite")
            #expect(try run(["download", "plants", "--output", target.path]).status == 0)
            let record = try #require(
                try JSONSerialization.jsonObject(with: Data(try run(["list", "--format", "jsonl"]).output.utf8))
                    as? [String: Any]
            )
            #expect(record["modelHash"] as? String == sha256(try Data(contentsOf: target)))
            #expect(record["tags"] as? [String] == ["flowers"])
        }
    }

    @Test func aThresholdIsPublishedWithTheModelShownAndTakenAway() async throws {
        try await HubProgram.withProject { _, run in
            let published = try run(["publish", "plants", Self.model, "--threshold", "0.4"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(try run(["show", "plants"]).output.contains("Threshold         0.4\n"))
            #expect(try run(["publish", "plants", "--threshold", "none"]).status == 0)
            #expect(try run(["show", "plants"]).output.contains("Threshold") == false)
            #expect(try run(["publish", "plants", "--threshold", "1.5"]).status == 64)
        }
    }

    @Test func publishOptimizesAModelAndKeepsTheOriginal() async throws {
        let model = TestData.fixture("models/uint8_classifier.tflite").path
        try await HubProgram.withProject { folder, run in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "photos/a"),
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(
                at: TestData.fixture("images/jpeg-444.jpg"),
                to: folder.appending(path: "photos/a/1.JPG")
            )
            let photos = folder.appending(path: "photos").path
            let published = try run(["publish", "digits", model, "--optimize", "--pictures", photos])
            #expect(published.status == 0 && published.errors == "")
            #expect(published.output.hasPrefix("digits: published, "))
            for part in [
                "Version 2 is the faster form of version 1; go back with `sightline hub rollback digits --to 1`.",
                "become int8", "times as fast", " 1 picture",
            ] {
                #expect(published.output.contains(part), "\(part)")
            }
            let original = sha256(try Data(contentsOf: URL(filePath: model)))
            let shown = try run(["show", "digits"]).output
            #expect(shown.contains(/2: .*, served/) && shown.contains(original))
            let again = try run(["publish", "digits", model, "--optimize"])
            #expect(again.output.contains("The hub already serves the faster form of this model."))
            #expect(try run(["rollback", "digits"]).output == "digits: serves version 1\n")
            #expect(try run(["show", "digits"]).output.contains("3: ") == false)
        }
    }

    @Test func publishSaysThatAModelCannotBeFasterAndPublishesIt() async throws {
        try await HubProgram.withProject { _, run in
            let published = try run(["publish", "plants", Self.model, "--optimize", "--format", "json"])
            #expect(published.status == 0 && published.output.hasPrefix("{"))
            #expect(published.errors.contains("plants is published as it is. The model cannot be made faster"))
            #expect(try run(["show", "plants"]).output.contains("2: ") == false)
            #expect(try run(["publish", "plants", Self.model, "--pictures", "."]).status == 64)
            #expect(try run(["publish", "plants", "--optimize"]).status == 64)
        }
    }

    @Test func publishWarnsOfAModelThatTheHubCannotRun() async throws {
        try await HubProgram.withProject { _, run in
            let published = try run(["publish", "counter", TestData.fixture("models/stateful.tflite").path])
            #expect(published.status == 0)
            #expect(published.output.hasPrefix("counter: published, "))
            #expect(published.errors.contains("counter is published, but the hub cannot run it."))
            #expect(published.errors.contains("CALL_ONCE"))
        }
    }

    @Test func aModelsWholeLifeOnTheCommandLine() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try run(["publish", "plants", Self.model]).status == 0)
            let second = TestData.fixture("models/classifier_uint8.tflite").path
            #expect(try run(["publish", "plants", second]).status == 0)
            #expect(try run(["rollback", "plants"]).output == "plants: serves version 1\n")
            #expect(try run(["unpublish", "plants"]).status == 0)
            let refused = try run(["download", "plants", "--output", folder.appending(path: "x").path])
            #expect(refused.status == 2)
            #expect(
                refused.errors
                    == "sightline: plants cannot be downloaded: Requested entity was not found. `sightline hub list` shows "
                    + "the published models.\n"
            )
            #expect(try run(["publish", "plants"]).status == 0)
            #expect(try run(["verify"]).output == "2 files are whole, 0 of them unused; no problems\n")
            let backup = folder.appending(path: "backup").path
            #expect(try run(["backup", backup]).output == "\(backup): 2 new files\n")
            let restored = try run(["restore", backup, "--data", folder.appending(path: "again").path])
            #expect(restored.output == "2 files are whole, 0 of them unused; no problems\n")
            #expect(try run(["delete", "plants"]).output == "plants: deleted\n")
            #expect(try run(["show", "plants"]).errors.contains("has no model \"plants\""))
            let audit = try run(["audit", "--format", "jsonl"]).output.split(separator: "\n")
            #expect(audit.first?.contains(#""action":"model.delete","actor":"local""#) == true)
        }
    }

    @Test(arguments: [
        (
            ["publish", "plants"],
            "The hub has no model \"plants\"; also give its file: `sightline hub publish plants model.tflite`."
        ),
        (
            ["publish", "1st", model],
            "\"1st\" cannot be a model's display name; use up to 32 letters, digits, underscores and hyphens, beginning with a letter."
        ),
        (
            ["publish", "plants", "/nowhere.tflite"],
            "/nowhere.tflite cannot be read; check the path and its permissions."
        ),
        (["list", "--filter", "x=1"], "Request contains an invalid argument."),
        (
            ["project", "create", "no"],
            "\"no\" cannot be the id of a project; use 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
        ),
        (
            ["key", "revoke", "0123"],
            "The project \"my-plants\" has no key \"0123\"; `sightline hub key list` shows their ids."
        ),
        (
            ["list", "--project", "nobody"],
            "The hub has no project \"nobody\" (it has my-plants); create it with `sightline hub project create nobody`."
        ),
    ])
    func anErrorIsOneSentenceWithTheNextStep(_ arguments: [String], _ message: String) async throws {
        try await HubProgram.withProject { _, run in
            let result = try run(arguments)
            #expect(result.status == 2)
            #expect(result.errors == "sightline: \(message)\n")
        }
    }

    @Test func withoutAHubTheMessageNamesTheCommandThatCreatesOne() throws {
        let result = try HubProgram.run(["list"], environment: ["SIGHTLINE_HUB_DATA": "/nowhere"])
        #expect(
            result.errors
                == "sightline: There is no hub in /nowhere; create a hub with `sightline hub project create NAME`, or name "
                + "its folder with --data.\n"
        )
    }

    @Test func theSameCommandsWorkOverTheNetwork() async throws {
        try await HubProgram.withProject { folder, run in
            let token = try run(["key", "create", "--token", "ci"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { _ = server.stop(SIGKILL) }
            func remote(_ arguments: [String]) throws -> HubProgram.Result {
                let environment = ["SIGHTLINE_HUB": "http://127.0.0.1:\(server.port)", "SIGHTLINE_HUB_TOKEN": token]
                return try HubProgram.run(arguments, environment: environment)
            }
            let published = try remote(["publish", "plants", Self.model])
            #expect(published.status == 0, "\(published.errors)")
            let target = folder.appending(path: "got.tflite")
            #expect(try remote(["download", "plants", "--output", target.path]).status == 0)
            #expect(try Data(contentsOf: target) == Data(contentsOf: URL(filePath: Self.model)))
            // A download that stopped goes on, whether its beginning is right or not.
            let whole = try Data(contentsOf: URL(filePath: Self.model))
            for beginning in [whole.prefix(whole.count / 2), Data(repeating: 7, count: 100)] {
                try beginning.write(to: target.appendingPathExtension("part"))
                #expect(try remote(["download", "plants", "--output", target.path]).status == 0)
                #expect(try Data(contentsOf: target) == whole)
                #expect(!FileManager.default.fileExists(atPath: target.appendingPathExtension("part").path))
            }
            #expect(try remote(["list"]).output.contains("plants  10000001  yes"))
            // The token may publish but not delete.
            let refused = try remote(["delete", "plants"])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("needs the role editor"))
            #expect(server.stop() == 0)
            #expect(try remote(["list"]).errors.contains("cannot be reached"))
        }
    }

    @Test func modelsAreImportedFromAnotherHubAsFromFirebase() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try run(["publish", "plants", Self.model, "--tag", "a"]).status == 0)
            #expect(try run(["publish", "draft", TestData.fixture("models/add.tflite").path]).status == 0)
            #expect(try run(["unpublish", "draft"]).status == 0)
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { _ = server.stop(SIGKILL) }
            let address = "http://127.0.0.1:\(server.port)"
            let keyFile = folder.appending(path: "key.json")
            try Data(try run(["key", "create", "--key-file", "import", "--address", address]).output.utf8).write(
                to: keyFile
            )
            let target = ["--data", folder.appending(path: "target").path]
            #expect(try run(["project", "create", "new-home"] + target).status == 0)
            let endpoints = ["--model-endpoint", address, "--storage-endpoint", address]
            let first = try run(["import", "--firebase", keyFile.path] + endpoints + target)
            #expect(first.output == "plants: copied, 968 B, published\ndraft: copied, 444 B\n", "\(first.errors)")
            let again = try run(["import", "--firebase", keyFile.path] + endpoints + target)
            #expect(again.output == "plants: here already\ndraft: here already\n")
            let list = try run(["list"] + target).output
            #expect(list.contains(/plants +10000001 +yes/) && list.contains(/draft +10000002 +no/))
        }
    }

    @Test func theHashInAnObjectsNameHasTwoDigitsForEachByte() async throws {
        try await HubProgram.withProject { folder, run in
            // What follows a model's own bytes is no concern of the runtime; some number gives a byte below 16.
            let model = try Data(contentsOf: URL(filePath: Self.model))
            let file = try #require(
                (0..<1000).lazy.map { model + Data("\($0)".utf8) }.first {
                    stride(from: 0, to: 12, by: 2).map { [hash = sha256($0)] in hash.utf8.dropFirst($0).first }
                        .contains(UInt8(ascii: "0"))
                }
            )
            let path = folder.appending(path: "model.tflite")
            try file.write(to: path)
            let published = try run(["publish", "plants", path.path, "--format", "json"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(published.output.contains("gs://models/plants/\(sha256(file).prefix(12))/model.tflite"))
        }
    }

    @Test func theHubIsReachedThroughTheProxyOfTheEnvironment() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: 403)
        } _: { server in
            let environment = [
                "https_proxy": server.proxyAddress, "no_proxy": "", "SIGHTLINE_HUB": "https://hub.example",
                "SIGHTLINE_HUB_TOKEN": "secret",
            ]
            let result = try HubProgram.run(["list"], environment: environment)
            #expect(result.status == 2 && result.errors.contains("cannot be reached"))
            let request = try #require(server.requests.first)
            #expect(request.path == "hub.example:443")
            // The token is for the hub alone.
            #expect(request.headers.first(name: "authorization") == nil)
        }
    }

    @Test func aHubWithACertificateOfItsOwnIsTrustedIfTheCommandIsToldSo() async throws {
        try await HubProgram.withProject { folder, run in
            let token = try run(["key", "create", "--token", "ci"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let files = try TestCertificate(in: folder)
            let server = try await HubProgram.Server(
                data: folder.appending(path: "hub"),
                arguments: ["--certificates", files.certificate, "--key", files.key]
            )
            defer { _ = server.stop(SIGKILL) }
            let environment = ["SIGHTLINE_HUB": "https://127.0.0.1:\(server.port)", "SIGHTLINE_HUB_TOKEN": token]
            #expect(try HubProgram.run(["list"], environment: environment).status == 2)
            let trusting = try HubProgram.run(["list", "--trust", files.certificate], environment: environment)
            #expect(trusting.status == 0, "\(trusting.errors)")
            let unreadable = try HubProgram.run(["list", "--trust", files.key], environment: environment)
            #expect(
                unreadable.errors
                    == "sightline: 127.0.0.1 cannot be reached: the trusted certificates \(files.key) cannot be read as PEM; check the "
                    + "file.\n"
            )
        }
    }

    @Test func sessionsAreListed() async throws {
        try await HubProgram.withProject { _, run in
            let list = try run(["session", "list"])
            #expect(list.output == "ID  USER  ROLE  BEGUN  LAST USED\n")
            let ended = try run(["session", "end", "0123"])
            #expect(ended.status == 2 && ended.errors.contains("has no session \"0123\""))
        }
    }

    @Test func aBackupIntoAFolderThatOthersMayEnterIsMadeWithAWarning() async throws {
        try await HubProgram.withProject { folder, run in
            let backup = folder.appending(path: "backup").path
            #expect(try run(["backup", backup]).errors == "")
            #expect(chmod(backup, 0o755) == 0)
            let open = try run(["backup", backup])
            #expect(open.status == 0)
            #expect(open.errors.contains("warning: Other users can list \(backup), "))
        }
    }

    @Test func withoutTheRuntimeItSaysHowToInstallIt() async throws {
        try await HubProgram.withProject { folder, _ in
            let environment = [
                "SIGHTLINE_HUB_DATA": folder.appending(path: "hub").path,
                "SIGHTLINE_LITERT": "/nowhere/libLiteRt.so",
            ]
            let result = try HubProgram.run(["publish", "plants", Self.model], environment: environment)
            #expect(result.status == 2)
            #expect(result.errors.contains("Scripts/fetch-runtime") && result.errors.contains("set SIGHTLINE_LITERT"))
        }
    }

    @Test func aNameThatIsNotUTF8IsRefusedByThatReason() throws {
        // A process of Foundation takes text for its arguments.
        let script = "\"$1\" publish plants \"$(printf 'caf\\351.tflite')\""
        let result = try HubProgram.run(
            ["-c", script, "sh", HubProgram.executable.path],
            executable: URL(filePath: "/bin/sh")
        )
        #expect(result.status == 64)
        #expect(result.errors == "sightline: caf\u{FFFD}.tflite is not UTF-8; rename the file.\n")
    }

    @Test func sightlineHandsOverToTheHubsProgram() throws {
        let sightline = HubProgram.executable.deletingLastPathComponent().appending(path: "sightline")
        let help = try HubProgram.run(["hub", "--help"], executable: sightline)
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: sightline hub <subcommand>"))
        let wrong = try HubProgram.run(["hub", "list", "--no-such-option"], executable: sightline)
        #expect(wrong.status == 64)
    }
}
