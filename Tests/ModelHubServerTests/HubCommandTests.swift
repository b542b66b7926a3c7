import Foundation
import HubTestSupport
import ModelHubServer
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct HubCommandTests {
    private static let model = TestData.fixture("models/classifier_float.tflite").path

    @Test func publishIsAllItTakesAndPacksTheLabels() async throws {
        try await HubProgram.withProject { folder, run in
            let labels = folder.appending(path: "dict.txt")
            try Data("rose\ntulip\ndaisy\n".utf8).write(to: labels)
            let published = try await run([
                "publish", "plants", Self.model, "--labels", labels.path, "--tag", "flowers",
            ])
            #expect(published.status == 0, "\(published.errors)")
            #expect(published.output.hasPrefix("plants: published, "))
            let shown = try await run(["show", "plants"]).output
            #expect(shown.contains("3: rose, tulip, daisy"))
            #expect(shown.contains("classifier of 3 classes"))
            let target = folder.appending(path: "got.tflite")
            #expect(try await run(["download", "plants", "--output", target.path]).status == 0)
            let record = try #require(
                try JSONSerialization.jsonObject(with: Data(try await run(["list", "--format", "jsonl"]).output.utf8))
                    as? [String: Any]
            )
            #expect(record["modelHash"] as? String == sha256(try Data(contentsOf: target)))
            #expect(record["tags"] as? [String] == ["flowers"])
        }
    }

    @Test func aThresholdIsPublishedWithTheModelShownAndTakenAway() async throws {
        try await HubProgram.withProject { _, run in
            let published = try await run(["publish", "plants", Self.model, "--threshold", "0.4"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0.4\n"))
            #expect(try await run(["publish", "plants", "--threshold", "none"]).status == 0)
            #expect(try await run(["show", "plants"]).output.contains("Threshold") == false)
            #expect(try await run(["publish", "plants", "--threshold", "1.5"]).status == 64)
        }
    }

    @Test func theCardAndNotesArePublishedWithTheModelAndShown() async throws {
        try await HubProgram.withProject { _, run in
            let published = try await run([
                "publish", "plants", Self.model, "--description", "Tells plants apart.\nMade in Graz.", "--license",
                "MIT",
                "--notes", "From 2,000 leaves",
            ])
            #expect(published.status == 0, "\(published.errors)")
            let shown = try await run(["show", "plants"]).output
            #expect(shown.contains("Description       Tells plants apart.\n                  Made in Graz.\n"))
            #expect(shown.contains("License           MIT\n") && shown.contains(", served: From 2,000 leaves\n"))
            #expect(try await run(["publish", "plants", "--author", "Ada", "--license", ""]).status == 0)
            let changed = try await run(["show", "plants"]).output
            #expect(changed.contains("Author            Ada\n") && !changed.contains("License"))
            let refused = try await run(["publish", "plants", "--notes", "x"])
            #expect(refused.status == 64 && refused.errors.contains("--notes belongs to a new version"))
        }
    }

    @Test func otherLabelsAreSaidWhenAVersionIsServed() async throws {
        try await HubProgram.withProject { folder, run in
            func labels(_ names: String...) throws -> [String] {
                let file = folder.appending(path: names.joined(separator: "-"))
                try Data(names.map { $0 + "\n" }.joined().utf8).write(to: file)
                return ["publish", "plants", Self.model, "--labels", file.path]
            }
            #expect(try await run(labels("rose", "tulip", "daisy")).errors == "")
            let other = try await run(labels("rose", "tench", "shark"))
            #expect(other.status == 0)
            let change = "The labels differ: 3 → 3; gone: tulip, daisy; new: tench, shark."
            #expect(
                other.errors.contains("warning: \(change) `sightline hub promote plants 1` returns"),
                "\(other.errors)"
            )
            let back = try await run(["promote", "plants", "1"])
            #expect(back.output == "plants: serves version 1\n")
            #expect(back.errors.contains("gone: tench, shark; new: tulip, daisy."), "\(back.errors)")
            #expect(try await run(["promote", "plants", "1"]).errors == "")
            #expect(try await run(["audit", "--format", "json"]).output.contains(change))
        }
    }

    @Test(arguments: [(0, "is empty"), (1, "only one byte, 00"), (9000, "zeros, such as an unfinished copy has")])
    func aFileOfNothingIsSaidToBeThat(_ count: Int, _ reason: String) async throws {
        try await HubProgram.withProject { folder, run in
            let file = folder.appending(path: "model.tflite")
            try Data(count: count).write(to: file)
            let refused = try await run(["publish", "plants", file.path])
            #expect(refused.status == 2 && refused.errors.contains(reason), "\(refused.errors)")
            #expect(refused.errors.contains("fetch or export it again"))
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
            let published = try await run(["publish", "digits", model, "--optimize", "--pictures", photos])
            #expect(published.status == 0 && published.errors == "")
            #expect(published.output.hasPrefix("digits: published, "))
            for part in [
                "Version 2 is the faster form of version 1; return to that with `sightline hub promote digits 1`.",
                "become int8", "times as fast", " 1 picture",
            ] {
                #expect(published.output.contains(part), "\(part)")
            }
            let original = sha256(try Data(contentsOf: URL(filePath: model)))
            let shown = try await run(["show", "digits"]).output
            #expect(shown.contains(/2: .*, served/) && shown.contains(original))
            let again = try await run(["publish", "digits", model, "--optimize"])
            #expect(again.output.contains("The hub already has the faster form of this model as version 2."))
            #expect(try await run(["promote", "digits", "1"]).output == "digits: serves version 1\n")
            #expect(try await run(["show", "digits"]).output.contains("3: ") == false)
        }
    }

    @Test func publishSaysThatAModelCannotBeFasterAndPublishesIt() async throws {
        try await HubProgram.withProject { _, run in
            let published = try await run(["publish", "plants", Self.model, "--optimize", "--format", "json"])
            #expect(published.status == 0 && published.output.hasPrefix("{"))
            #expect(published.errors.contains("plants is published unchanged. The model cannot be made faster"))
            #expect(try await run(["show", "plants"]).output.contains("2: ") == false)
            #expect(try await run(["publish", "plants", Self.model, "--pictures", "."]).status == 64)
            #expect(try await run(["publish", "plants", "--optimize"]).status == 64)
        }
    }

    @Test func publishWarnsOfAModelThatTheHubCannotRun() async throws {
        try await HubProgram.withProject { _, run in
            let published = try await run(["publish", "counter", TestData.fixture("models/stateful.tflite").path])
            #expect(published.status == 0)
            #expect(published.output.hasPrefix("counter: published, "))
            #expect(published.errors.contains("counter is published, but the hub cannot run it."))
            #expect(published.errors.contains("CALL_ONCE"))
        }
    }

    @Test func publishRefusesLabelsThatDoNotFit() async throws {
        try await HubProgram.withProject { folder, run in
            let labels = folder.appending(path: "two.txt")
            try Data("red\ngreen\n".utf8).write(to: labels)
            let model = TestData.fixture("models/yolov8.tflite").path
            let refused = try await run(["publish", "colors", model, "--labels", labels.path])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("two.txt has 2 labels but yolov8.tflite has 3 classes"))
            let wrong = TestData.fixture("models/classifier_wrong_labels.tflite").path
            let inside = try await run(["publish", "colors", wrong])
            #expect(inside.status == 2)
            #expect(inside.errors.contains("has 3 classes but 2 labels in"))
            #expect(try await !run(["list"]).output.contains("colors"))
        }
    }

    @Test func publishNamesThePathOfAModelOfTheCatalog() async throws {
        try await HubProgram.withProject { folder, run in
            let refused = try await run(["publish", "detector", "yolox-nano"])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("\"$(sightline models path yolox-nano)\""))
            let saved = folder.appending(path: "saved")
            try FileManager.default.createDirectory(at: saved, withIntermediateDirectories: true)
            try Data([8, 1]).write(to: saved.appending(path: "saved_model.pb"))
            #expect(try await run(["publish", "detector", saved.path]).errors.contains("from_saved_model"))
        }
    }

    @Test func aModelsWholeLifeOnTheCommandLine() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model]).status == 0)
            let second = TestData.fixture("models/classifier_uint8.tflite").path
            #expect(try await run(["publish", "plants", second]).status == 0)
            #expect(try await run(["promote", "plants", "1"]).output == "plants: serves version 1\n")
            #expect(try await run(["unpublish", "plants"]).status == 0)
            let refused = try await run(["download", "plants", "--output", folder.appending(path: "x").path])
            #expect(refused.status == 2)
            #expect(
                refused.errors
                    == "sightline: plants cannot be downloaded: Requested entity was not found. `sightline hub list` shows "
                    + "the published models.\n"
            )
            #expect(try await run(["publish", "plants"]).status == 0)
            #expect(try await run(["verify"]).output == "2 files of the right size, 0 of them unused; no problems\n")
            #expect(try await run(["verify", "--deep"]).output == "2 whole files, 0 of them unused; no problems\n")
            let backup = folder.appending(path: "backup").path
            #expect(try await run(["backup", backup]).output == "\(backup): 2 new files, 2 whole files\n")
            #expect(
                try await run(["backup", "--verify", backup]).output
                    == "2 whole files, 0 of them unused; no problems\n"
            )
            let nothing = try await run(["backup", "--verify", folder.path])
            #expect(nothing.status == 2 && nothing.errors.contains("is not a backup of a hub"))
            let restored = try await run(["restore", backup, "--data", folder.appending(path: "again").path])
            #expect(restored.output == "2 whole files, 0 of them unused; no problems\n")
            #expect(try await run(["delete", "plants", "--yes"]).output == "plants: deleted\n")
            #expect(try await run(["show", "plants"]).errors.contains("has no model \"plants\""))
            let audit = try await run(["audit", "--format", "jsonl"]).output.split(separator: "\n")
            #expect(audit.first?.contains(#""action":"model.delete","actor":"local""#) == true)
        }
    }

    @Test func aModelIsDeletedOnlyIfTheUserAgrees() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model]).status == 0)
            let refused = try await run(["delete", "plants"])
            #expect(refused.status == 2)
            #expect(
                refused.errors
                    == "sightline: Nothing was deleted: the command asks first, but its standard input is not a terminal; add --yes.\n"
            )
            #expect(try await run(["delete", "tulips"]).errors.contains("has no model \"tulips\""))
            for (answer, status) in [("\n", Int32(1)), ("n\n", 1), ("y\n", 0)] {
                #expect(try await run(["show", "plants"]).status == 0)
                let asked = try await HubProgram.onTerminal(
                    ["delete", "plants"],
                    answer: answer,
                    data: folder.appending(path: "hub")
                )
                #expect(asked.status == status, "\(answer): \(asked.output)")
                #expect(asked.output.contains("Delete the model plants and all its versions? [y/N] "))
                #expect(asked.output.contains(status == 0 ? "plants: deleted" : "Nothing was deleted."))
            }
            #expect(try await run(["show", "plants"]).status == 2)
        }
    }

    @Test func aProjectIsDeletedOnlyIfTheUserAgrees() async throws {
        try await HubProgram.withProject { _, run in
            let refused = try await run(["project", "delete", "my-plants"])
            #expect(refused.status == 2 && refused.errors.contains("add --yes"))
            #expect(try await run(["project", "list"]).output.contains("my-plants"))
            #expect(try await run(["project", "delete", "my-plants", "--yes"]).status == 0)
            #expect(try await run(["project", "list"]).output.contains("my-plants") == false)
        }
    }

    @Test func aVersionIsStagedLookedAtAndPromoted() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model, "--threshold", "0.4"]).status == 0)
            let next = TestData.fixture("models/classifier_uint8.tflite")
            let staged = try await run(["publish", "plants", next.path, "--stage", "--threshold", "0.6"])
            #expect(staged.status == 0 && staged.output.hasPrefix("plants: version 2 is staged, "), "\(staged.errors)")
            let shown = try await run(["show", "plants"]).output
            #expect(
                shown.contains("Threshold         0.4\n") && shown.contains("Aliases           staging: version 2\n")
            )
            #expect(shown.contains(/1: .*, served, threshold 0.4/) && shown.contains(/2: .*, staged, threshold 0.6/))
            let got = folder.appending(path: "got.tflite")
            #expect(try await run(["download", "plants", "--alias", "staging", "--output", got.path]).status == 0)
            #expect(try Data(contentsOf: got) == Data(contentsOf: next))
            #expect(try await run(["download", "plants", "--output", got.path]).status == 0)
            #expect(try Data(contentsOf: got) == Data(contentsOf: URL(filePath: Self.model)))

            #expect(try await run(["promote", "plants"]).output == "plants: serves version 2\n")
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0.6\n"))
            let again = try await run(["publish", "plants", next.path, "--stage", "--threshold", "0.1"])
            #expect(again.output.hasPrefix("plants: serves this file already as version 2, "))
            #expect(try await run(["show", "plants"]).output.contains("Threshold         0.6\n"))
            #expect(try await run(["promote", "plants"]).errors.contains("No version of plants is staged"))

            #expect(try await run(["alias", "set", "plants", "beta", "1"]).output == "plants: beta is version 1\n")
            #expect(try await run(["download", "plants", "--alias", "beta", "--output", got.path]).status == 0)
            #expect(try await run(["alias", "remove", "plants", "beta"]).output == "plants: beta is removed\n")
            let missing = try await run(["download", "plants", "--alias", "beta", "--output", got.path])
            #expect(missing.status == 2 && missing.errors.contains("with the alias \"beta\"; `sightline hub show`"))
            #expect(try await run(["download", "plants", "--alias", "Beta"]).status == 64)
            #expect(try await run(["publish", "plants", "--stage"]).status == 64)
        }
    }

    @Test func aNewModelIsStagedAndPublishedLater() async throws {
        try await HubProgram.withProject { _, run in
            #expect(try await run(["publish", "plants", Self.model, "--stage"]).output.contains("version 1 is staged"))
            let early = try await run(["publish", "plants"])
            #expect(early.status == 2 && early.errors.contains("cannot be published"))
            let promoted = try await run(["promote", "plants"])
            #expect(promoted.output == "plants: serves version 1\n")
            #expect(promoted.errors.contains("plants is not published; `sightline hub publish plants`"))
            #expect(try await run(["publish", "plants"]).output.hasPrefix("plants: published, "))
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
            "/nowhere.tflite does not exist; check the path."
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
            let result = try await run(arguments)
            #expect(result.status == 2)
            #expect(result.errors == "sightline: \(message)\n")
        }
    }

    @Test func withoutAHubTheMessageNamesTheCommandThatCreatesOne() async throws {
        let result = try await HubProgram.run(
            ["list"],
            environment: ["SIGHTLINE_HUB_DATA": "/nowhere"],
            place: .folder
        )
        #expect(
            result.errors
                == "sightline: There is no hub in /nowhere; create a hub with `sightline hub project create NAME`, or name "
                + "its folder with --data.\n"
        )
    }

    @Test(arguments: [["p"], ["my-plants", "--number", "0"], ["my-plants", "--quota=-1"]])
    func aProjectThatCannotBeMadeBeginsNoHub(_ words: [String]) async throws {
        try await withTemporaryFolder { folder in
            let data = folder.appending(path: "hub")
            let refused = try await HubProgram.run(
                ["project", "create"] + words + ["--data", data.path],
                place: .folder
            )
            #expect(refused.status == 2 && refused.errors.contains("cannot be"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: data.path))
        }
    }

    @Test func theSameCommandsWorkOverTheNetwork() async throws {
        try await HubProgram.withProject { folder, run in
            let token = try await run(["key", "create", "--token", "ci"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { server.kill() }
            func remote(_ arguments: [String]) async throws -> HubProgram.Result {
                let environment = ["SIGHTLINE_HUB": "http://127.0.0.1:\(server.port)", "SIGHTLINE_HUB_TOKEN": token]
                return try await HubProgram.run(arguments, environment: environment)
            }
            let published = try await remote(["publish", "plants", Self.model])
            #expect(published.status == 0, "\(published.errors)")
            let target = folder.appending(path: "got.tflite")
            #expect(try await remote(["download", "plants", "--output", target.path]).status == 0)
            #expect(try Data(contentsOf: target) == Data(contentsOf: URL(filePath: Self.model)))
            // A download that stopped resumes, whether its beginning is right or not.
            let whole = try Data(contentsOf: URL(filePath: Self.model))
            for beginning in [whole.prefix(whole.count / 2), Data(repeating: 7, count: 100)] {
                try beginning.write(to: target.appendingPathExtension("part"))
                #expect(try await remote(["download", "plants", "--output", target.path]).status == 0)
                #expect(try Data(contentsOf: target) == whole)
                #expect(!FileManager.default.fileExists(atPath: target.appendingPathExtension("part").path))
            }
            #expect(try await remote(["list"]).output.contains("plants  10000001  yes"))
            // The token may publish but not delete.
            let refused = try await remote(["delete", "plants", "--yes"])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("needs the role editor"))
            #expect(try await server.stop() == 0)
            #expect(try await remote(["list"]).errors.contains("cannot be reached (connection refused); check"))
        }
    }

    @Test func modelsAreImportedFromAnotherHubAsFromFirebase() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["publish", "plants", Self.model, "--tag", "a"]).status == 0)
            let draft = TestData.fixture("models/add.tflite")
            #expect(try await run(["publish", "draft", draft.path]).status == 0)
            #expect(try await run(["unpublish", "draft"]).status == 0)
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { server.kill() }
            let address = "http://127.0.0.1:\(server.port)"
            let keyFile = folder.appending(path: "key.json")
            try Data(try await run(["key", "create", "--key-file", "import", "--address", address]).output.utf8).write(
                to: keyFile
            )
            let target = ["--data", folder.appending(path: "target").path]
            #expect(try await run(["project", "create", "new-home"] + target).status == 0)
            let endpoints = ["--model-endpoint", address, "--storage-endpoint", address]
            let first = try await run(["import", "--firebase", keyFile.path] + endpoints + target)
            let sizes = try [URL(filePath: Self.model), draft].map { try Data(contentsOf: $0).count }
            #expect(
                first.output == "plants: copied, \(sizes[0]) B, published\ndraft: copied, \(sizes[1]) B\n",
                "\(first.errors)"
            )
            let again = try await run(["import", "--firebase", keyFile.path] + endpoints + target)
            #expect(again.output == "plants: here already\ndraft: here already\n")
            let list = try await run(["list"] + target).output
            #expect(list.contains(/plants +10000001 +yes/) && list.contains(/draft +10000002 +no/))
        }
    }

    @Test func theHashInAnObjectsNameHasTwoDigitsForEachByte() async throws {
        try await HubProgram.withProject { folder, run in
            // Bytes after a model's own do not concern the runtime; some number gives a byte below 16.
            let model = try Data(contentsOf: URL(filePath: Self.model))
            let file = try #require(
                (0..<1000).lazy.map { model + Data("\($0)".utf8) }.first {
                    stride(from: 0, to: 12, by: 2).map { [hash = sha256($0)] in hash.utf8.dropFirst($0).first }
                        .contains(UInt8(ascii: "0"))
                }
            )
            let path = folder.appending(path: "model.tflite")
            try file.write(to: path)
            let published = try await run(["publish", "plants", path.path, "--format", "json"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(published.output.contains("gs://models/plants/\(sha256(file).prefix(12))/model.tflite"))
        }
    }

    /// Jobs that publish at the same time: each line is about the job's own file.
    @Test func aPublicationTellsOfItsOwnFile() async throws {
        try await HubProgram.withProject { folder, _ in
            let model = try Data(contentsOf: URL(filePath: Self.model))
            let results = try await eightAtOnce { number in
                let file = model + Data("\(number)".utf8)
                let path = folder.appending(path: "model-\(number).tflite")
                try file.write(to: path)
                let words = ["publish", "plants", path.path, "--threshold", "0.\(number + 1)"]
                let data = ["SIGHTLINE_HUB_DATA": folder.appending(path: "hub").path]
                return (number, sha256(file), try await HubProgram.run(words, environment: data))
            }
            for (number, hash, result) in results {
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.output.hasSuffix("SHA-256 \(hash), threshold 0.\(number + 1)\n"), "\(result.output)")
            }
        }
    }

    @Test(arguments: [
        (
            ["token", "create", "ci", "--expires", "30"],
            "Give a number with a unit, such as 30d, 12h or 90m, or `never`."
        ),
        (["publish", "plants", "--threshold", "7"], "Give a number from 0 to 1, such as 0.6, or `none`."),
    ])
    func aWrongValueHasAReasonAndAnExample(words: [String], reason: String) async throws {
        let result = try await HubProgram.run(words, place: .folder)
        #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
    }

    @Test func aSecondKeyWithANameIsSaidToBeOne() async throws {
        try await HubProgram.withProject { _, run in
            #expect(try await run(["token", "create", "ci"]).errors == "")
            let second = try await run(["token", "create", "ci"])
            #expect(second.status == 0 && second.errors.contains("note: Another valid key has the name ci"))
            #expect(try await run(["key", "create", "--api-key", "ci"]).errors == "")
        }
    }

    /// Pages that name themselves as the next, and pages that never end.
    @Test(arguments: [true, false], [["list"], ["key", "list"], ["person", "list"], ["project", "list"]])
    func aListThatDoesNotEndEndsTheCommand(isSame: Bool, words: [String]) async throws {
        let padding = Data(repeating: UInt8(ascii: " "), count: isSame ? 0 : 4 << 20)
        try await ScriptedServer.with { _, server in
            let token = isSame ? "same" : "\(server.requests.count)"
            let lists = #""models": [], "keys": [], "people": [], "projects": []"#
            return ScriptedServer.Reply(body: Data(#"{\#(lists), "nextPageToken": "\#(token)"}"#.utf8) + padding)
        } _: { server in
            let environment = [
                "SIGHTLINE_HUB": server.address, "SIGHTLINE_HUB_TOKEN": "x", "SIGHTLINE_HUB_PROJECT": "p",
            ]
            let result = try await HubProgram.run(words, environment: environment)
            #expect(result.status == 2)
            #expect(result.errors.contains("The list does not end"), "\(result.errors)")
            #expect(server.requests.count < 100)
        }
    }

    @Test func aResponseOfSomethingElseIsASentence() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(body: Data(#"{"models": 5}"#.utf8))
        } _: { server in
            let environment = [
                "SIGHTLINE_HUB": server.address, "SIGHTLINE_HUB_TOKEN": "x", "SIGHTLINE_HUB_PROJECT": "p",
            ]
            let result = try await HubProgram.run(["list"], environment: environment)
            #expect(result.status == 2)
            #expect(
                result.errors
                    == "sightline: The response does not come from a hub of this version; check the address of the hub, and its version.\n"
            )
        }
    }

    /// A password in an address is in no message.
    @Test(arguments: [
        ["migrate", "--from", "/nowhere", "--to", "postgres://hub:hidden@127.0.0.1/x?password=hidden"],
        ["migrate", "--from", "/nowhere", "--to", "postgres://hub@127.0.0.1/x?sslpassword=hidden,s3://"],
        ["migrate", "--from", "postgres://hub:hidden@127.0.0.1:1/x", "--to", "/nowhere/else"],
        ["list", "--database", "postgres://hub:hidden@127.0.0.1:1/x", "--data", "/nowhere"],
        ["list", "--database", "postgres://hub:hid@den@127.0.0.1:1/x", "--data", "/nowhere"],
        ["list", "--blobs", "s3://key:hidden@bucket/x", "--data", "/nowhere"],
        ["list", "--blobs", "s3://bucket/x?endpoint=http://key:hidden@127.0.0.1", "--data", "/nowhere"],
        ["list", "--hub", "ftp://user:hidden@hub.example", "--token", "hidden-token"],
    ])
    func noMessageContainsAPassword(words: [String]) async throws {
        let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "hidden-secret"]
        let result = try await HubProgram.run(words, environment: keys, place: .folder)
        #expect(result.status != 0)
        #expect(!(result.errors + result.output).contains("hid"), "\(result.errors)")
    }

    @Test func theHubIsReachedThroughTheProxyOfTheEnvironment() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: 403)
        } _: { server in
            let environment = [
                "https_proxy": server.proxyAddress, "no_proxy": "", "SIGHTLINE_HUB": "https://hub.example",
                "SIGHTLINE_HUB_TOKEN": "secret",
            ]
            let result = try await HubProgram.run(["list"], environment: environment)
            #expect(result.status == 2 && result.errors.contains("cannot be reached"))
            let request = try #require(server.requests.first)
            #expect(request.path == "hub.example:443")
            // The token is for the hub alone.
            #expect(request.headers.first(name: "authorization") == nil)
        }
    }

    @Test func aHubWithACertificateOfItsOwnIsTrustedIfTheCommandIsToldSo() async throws {
        try await HubProgram.withProject { folder, run in
            let token = try await run(["key", "create", "--token", "ci"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let files = try TestCertificate(in: folder)
            let server = try await HubProgram.Server(
                data: folder.appending(path: "hub"),
                arguments: ["--certificates", files.certificate, "--key", files.key]
            )
            defer { server.kill() }
            let environment = ["SIGHTLINE_HUB": "https://127.0.0.1:\(server.port)", "SIGHTLINE_HUB_TOKEN": token]
            #expect(try await HubProgram.run(["list"], environment: environment).status == 2)
            let trusting = try await HubProgram.run(["list", "--trust", files.certificate], environment: environment)
            #expect(trusting.status == 0, "\(trusting.errors)")
            let unreadable = try await HubProgram.run(["list", "--trust", files.key], environment: environment)
            #expect(
                unreadable.errors
                    == "sightline: 127.0.0.1 cannot be reached: the trusted certificates \(files.key) cannot be read as PEM; check the "
                    + "file.\n"
            )
        }
    }

    @Test func sessionsAreListed() async throws {
        try await HubProgram.withProject { _, run in
            let list = try await run(["session", "list"])
            #expect(list.output == "ID  USER  ROLE  BEGUN  LAST USED\n")
            let ended = try await run(["session", "end", "0123"])
            #expect(ended.status == 2 && ended.errors.contains("has no session \"0123\""))
        }
    }

    @Test func aBackupIntoAFolderThatOthersMayEnterIsMadeWithAWarning() async throws {
        try await HubProgram.withProject { folder, run in
            let backup = folder.appending(path: "backup").path
            #expect(try await run(["backup", backup]).errors == "")
            #expect(chmod(backup, 0o755) == 0)
            let open = try await run(["backup", backup])
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
            let result = try await HubProgram.run(["publish", "plants", Self.model], environment: environment)
            #expect(result.status == 2)
            #expect(result.errors.contains("fetch-litert` in ") && result.errors.contains("set SIGHTLINE_LITERT"))
        }
    }

    @Test func aNameThatIsNotUTF8IsRefusedByThatReason() async throws {
        // A process of Foundation takes text for its arguments.
        let script = "\"$1\" publish plants \"$(printf 'caf\\351.tflite')\""
        let result = try await HubProgram.run(
            ["-c", script, "sh", HubProgram.executable.path],
            executable: URL(filePath: "/bin/sh")
        )
        #expect(result.status == 64)
        #expect(result.errors == "sightline: caf\u{FFFD}.tflite is not UTF-8; rename the file.\n")
    }

    @Test func sightlineHandsOverToTheHubsProgram() async throws {
        let sightline = HubProgram.executable.deletingLastPathComponent().appending(path: "sightline")
        let help = try await HubProgram.run(["hub", "--help"], executable: sightline)
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: sightline hub <subcommand>"))
        let wrong = try await HubProgram.run(["hub", "list", "--no-such-option"], executable: sightline)
        #expect(wrong.status == 64)
    }
}
