import Foundation
import SightlineImages
import SightlineTestSupport
import Testing

/// `sightline train labels`, from the command line to the model's folder.
@Suite(.hangLimit)
struct TrainCommandTests {
    private static let start = TestData.fixture("models/classifier_float_metadata.tflite").path

    private func photos(in folder: URL) throws {
        var files: [String: Data] = [:]
        for number in 0..<6 {
            let shade = UInt8(120 + 20 * number)
            files["photos/fire 🔥/\(number).png"] = try Pictures.png(red: shade, green: UInt8(7 * number))
            files["photos/leaf/\(number).png"] = try Pictures.png(green: shade, blue: UInt8(9 * number))
        }
        try Pictures.write(files, in: folder)
    }

    @Test func aTrainedModelNamesPictures() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let made = try await Command.run(
                ["train", "labels", "photos", "--output", "colors", "--start", Self.start],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("fire 🔥") && made.output.contains("% right ("))
            let card = try await Command.run(
                ["train", "labels", "photos", "--output", "colors/", "--start", Self.start, "--format", "json"],
                in: folder
            )
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(card.output.utf8)) as? [String: Any]
            )
            #expect(fields["name"] as? String == "colors" && fields["pictureCount"] as? Int == 12)
            let named = try await Command.run(
                ["label", "photos/leaf/3.png", "--model", "colors", "--format", "jsonl"],
                in: folder
            )
            #expect(named.status == 0 && named.output.contains("\"leaf\""))
        }
    }

    @Test func picturesOfOneSceneAreMeasuredThoughTheyLookAlike() async throws {
        try await withTemporaryFolder { folder in
            // A fixed camera sees a gate that is red when closed and green when open, and always nearly the same.
            var files: [String: Data] = [:]
            for number in 0..<8 {
                let shade = UInt8(180 + number)
                files["gate/closed/\(number).png"] = try Pictures.png(red: shade, green: 20)
                files["gate/open/\(number).png"] = try Pictures.png(red: 20, green: shade)
            }
            try Pictures.write(files, in: folder)
            func card(_ options: String...) async throws -> (text: String, fields: [String: Any]) {
                let made = try await Command.run(
                    ["train", "labels", "gate", "--output", "made", "--start", Self.start, "--format", "json"]
                        + options,
                    in: folder
                )
                #expect(made.status == 0, "\(made.errors)")
                let fields = try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
                return (made.output, try #require(fields))
            }
            let alike = try await card()
            #expect(alike.fields["nearDuplicateCount"] as? Int ?? 0 > 0)
            let scene = try await card("--one-scene")
            #expect(scene.fields["nearDuplicateCount"] as? Int == 0)
            #expect(scene.fields["measuredCount"] as? Int == 16)
            #expect(scene.text.contains("All pictures show one scene"))
            // All are told apart, so the threshold is in the middle between a guess and the least sure answer.
            let threshold = try #require(scene.fields["confidenceThreshold"] as? Double)
            #expect(threshold >= 0.5 && threshold <= 0.75, "\(threshold)")
        }
    }

    @Test func whatCannotBeTrainedOnIsSaidAndWritesNothing() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            try Pictures.write(["one/leaf/1.png": Pictures.png()], in: folder)
            for (arguments, message) in [
                (["one", "--output", "new"], "one label, leaf"),
                (["nowhere", "--output", "new"], "no such file or folder"),
                (["photos", "--output", "one"], "is not the folder of a trained model"),
                (["photos", "--output", "new", "--start", "no-such-model"], "There is neither a file nor a model"),
                (
                    ["photos", "--output", "new", "--start", Command.detector],
                    "it finds objects instead of naming pictures"
                ),
            ] {
                let start = arguments.contains("--start") ? [] : ["--start", Self.start]
                let found = try await Command.run(["train", "labels"] + arguments + start, in: folder)
                #expect(found.status == 2)
                #expect(found.errors.contains(message), "\(found.errors)")
                #expect(found.errors.split(separator: "\n").count == 1)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["one", "photos"])
        }
    }

    @Test func programsAreToldEachStepAndTheCard() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let made = try await Command.run(
                ["train", "labels", "photos", "--output", "colors", "--start", Self.start, "--format", "jsonl"],
                in: folder
            )
            let records = try made.records()
            #expect(records.contains { $0["stage"] as? String == "reading" && $0["done"] as? Int == 12 })
            #expect(records.contains { $0["stage"] as? String == "fitting" })
            #expect((records.last?["card"] as? [String: Any])?["pictureCount"] as? Int == 12)
        }
    }

    @Test func programsAreToldEachStepOfATrainingFromBoxes() async throws {
        try await withTemporaryFolder { folder in
            _ = try BoxedPhotos.write(6, in: folder)
            let made = try await Command.run(
                ["train", "boxes", "annotations.json", "--output", "yard", "--start", Self.start, "--format", "jsonl"],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            let records = try made.records()
            func step(_ stage: String) -> [String: Any]? { records.last { $0["stage"] as? String == stage } }
            #expect(step("reading")?["done"] as? Int == 6 && step("reading")?["total"] as? Int == 6)
            let card = try #require(records.last?["card"] as? [String: Any])
            #expect(card["name"] as? String == "yard" && card["pictureCount"] as? Int == 6)
            let boxes = try #require((card["coverage"] as? [String: Any])?["labels"] as? [[String: Any]])
            #expect(step("proposing")?["total"] as? Int == boxes.reduce(0) { $0 + ($1["boxes"] as? Int ?? 0) })
            #expect(step("proposing")?["done"] as? Int == boxes.reduce(0) { $0 + ($1["covered"] as? Int ?? 0) })
            #expect(step("fitting")?["done"] != nil && made.errors.contains("proposes a box for"))
        }
    }

    @Test(arguments: [#""stage":"reading""#, #""stage":"fitting""#])
    func ctrlCLeavesAWholeModelOrNothing(line: String) async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let stopped = try await Command.interrupted(
                by: SIGINT,
                ["train", "labels", "photos", "--output", "colors", "--start", Self.start, "--format", "jsonl"],
                in: folder
            ) { $0.contains(line) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let files = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "colors").path)
            // A short training may end before the signal comes.
            if stopped.status != 0 { #expect(stopped.ending == .signaled(SIGINT)) }
            #expect(names == ["photos"] || names == ["colors", "photos"] && files?.count == 6)
        }
    }

    @Test func aModelIsPublishedAndStagedOnAHub() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let (train, hub) = (["train", "labels", "photos", "--output", "colors", "--start", Self.start], "hub")
            let early = try await Command.run(train + ["--publish", "colors", "--data", hub], in: folder)
            #expect(early.status == 2 && early.errors.contains("There is no hub in"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "colors").path))
            func onHub(_ words: String...) async throws -> Program.Result {
                try await Command.run(["hub"] + words + ["--data", hub], in: folder)
            }
            #expect(try await onHub("project", "create", "my-colors").status == 0)
            let first = try await Command.run(train + ["--publish", "colors", "--data", hub], in: folder)
            #expect(first.status == 0 && first.output.contains("colors: published, "), "\(first.errors)")
            let second = try await Command.run(
                train + ["--several", "--publish", "colors", "--stage", "--data", hub, "--format", "json"],
                in: folder
            )
            #expect(second.status == 0 && second.errors.contains("colors: version 2 is staged"), "\(second.errors)")
            _ = try JSONSerialization.jsonObject(with: Data(second.output.utf8))
            #expect(try await onHub("show", "colors").output.contains("fire 🔥, leaf"))
        }
    }

    @Test func aHubThatRefusesAModelDoesNotCostTheTraining() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let data = ["--data", folder.appending(path: "hub").path]
            #expect(try await Command.run(["hub", "project", "create", "my-colors"] + data, in: folder).status == 0)
            let made = try await Command.run(["hub", "token", "create", "ci", "--role", "viewer"] + data, in: folder)
            let token = try #require(made.output.split(whereSeparator: \.isWhitespace).last)
            try Data(token.utf8).write(to: folder.appending(path: "the token"))
            let server = try await Command.program.start(["hub", "serve", "--port", "0"] + data, in: folder)
            func address(_ log: String) -> Substring? { log.firstMatch(of: /"address":"(http:[^"]+)"/)?.1 }
            try await server.waitForErrors { address($0) != nil }
            let hub = try #require(address(server.errors))
            let refused = try await Command.run(
                [
                    "train", "labels", "photos", "--output", "colors", "--start", Self.start, "--publish", "colors",
                    "--hub", "\(hub)", "--token-file", "the token",
                ],
                in: folder
            )
            server.send(signal: SIGTERM)
            _ = try await server.result()
            #expect(refused.status == 2 && refused.output.contains("% right ("))
            let advice = "sightline hub publish colors colors/model.tflite --hub=\(hub) '--token-file=the token'"
            #expect(refused.errors.contains("without training again: \(advice)"), "\(refused.errors)")
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "colors/card.json").path))
        }
    }

    @Test func optionsOfPublishingNeedItAndAreThoseOfTheHub() async throws {
        for (words, message) in [
            (["--stage"], "--stage belongs to --publish"), (["--hub", "http://a"], "--hub belongs to --publish"),
            (["--publish", "my colors"], "cannot be the name of a model"),
            (["--publish", "a", "--hub", "http://a", "--data", "b"], "either --hub or --data"),
        ] {
            let found = try await Command.run(["train", "labels", "photos", "--output", "x"] + words)
            #expect(found.status == 64 && found.errors.contains(message), "\(found.errors)")
        }
        let help = try await Command.run(["hub", "publish", "--help"]).output
        for option in [
            "--stage", "--hub <hub>", "--token-file <token-file>", "--trust <file>", "--data <data>",
            "--project <project>",
        ] {
            #expect(help.contains(option), "\(option)")
        }
    }

    @Test func withoutANetworkTheBuiltInNetworkIsTheStart() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            try Command.linkRuntime(into: folder.appending(path: "data/sightline"))
            // Nothing listens at this port.
            let found = try await Command.run(
                ["train", "labels", "photos", "--output", "colors"],
                in: folder,
                environment: [
                    "XDG_DATA_HOME": folder.appending(path: "data").path, "https_proxy": "http://127.0.0.1:9",
                ]
            )
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.errors.contains("usually costs about 8 points"))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "colors/model.tflite").path))
        }
    }

    @Test func aTrainedDetectorIsOneWordForDetect() async throws {
        try await withTemporaryFolder { folder in
            _ = try BoxedPhotos.write(6, in: folder)
            let made = try await Command.run(
                ["train", "boxes", "annotations.json", "--output", "yard", "--start", Self.start],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.errors.contains("proposes a box for") && made.output.contains("mAP50 "))
            let found = try await Command.run(
                ["detect", "images/3.png", "--model", "yard", "--threshold", "0.1", "--format", "jsonl"],
                in: folder
            )
            #expect(found.status == 0 && found.output.contains("\"brick\""), "\(found.output) \(found.errors)")
            let wrong = try await Command.run(["label", "images/3.png", "--model", "yard"], in: folder)
            #expect(wrong.status == 2 && wrong.errors.contains("use `sightline detect --model yard`"))
            let empty = try await Command.run(
                ["train", "boxes", "nowhere.json", "--output", "new", "--start", Self.start],
                in: folder
            )
            #expect(empty.status == 2 && empty.errors.contains("there is no such file"))
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "new").path))
        }
    }
}
