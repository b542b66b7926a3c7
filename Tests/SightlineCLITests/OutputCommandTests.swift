import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// The files and pictures that commands write, seen from outside the process.
@Suite(.hangLimit) struct OutputCommandTests {
    private let model = ["--model", Command.detector]

    private func withPictures(_ names: [String], _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let red = try Pictures.png(red: 255)
            try Pictures.write(Dictionary(uniqueKeysWithValues: names.map { ($0, red) }), in: folder)
            try await body(folder)
        }
    }

    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func aFolderOfPicturesBecomesADataSetOfYOLO() async throws {
        try await withPictures(["images/a.png", "images/b/c.png"]) { folder in
            let result = try await Command.run(
                ["detect", "images", "--format", "yolo", "--output", "set"] + model,
                in: folder
            )
            #expect(
                result.status == 0 && result.output.hasPrefix("2 pictures, 4 objects in 2 of them, "),
                "\(result.errors)"
            )
            #expect(try text("set/labels/a.txt", in: folder) == text("set/labels/b/c.txt", in: folder))
            let lines = try text("set/labels/a.txt", in: folder).split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.count == 2 && lines.allSatisfy { $0.count == 5 })
            let classes = try text("set/classes.txt", in: folder).split(separator: "\n").map(String.init)
            let names = try lines.map { classes[try #require(Int($0[0]))] }
            #expect(Set(names) == ["red", "blue"])
            #expect(lines.allSatisfy { $0.dropFirst().allSatisfy { (0...1).contains(Double($0) ?? -1) } })
        }
    }

    @Test func `A run ends with the places of its pictures`() async throws {
        try await withPictures(["p/a.png", "p/b.png"]) { folder in
            let result = try await Command.run(
                ["detect", "p", "--annotate", "drawn", "--crop", "parts/", "--output", "a.csv"] + model,
                in: folder
            )
            #expect(
                result.output.hasSuffix("\n2 pictures written to drawn/, 4 crops written to parts/\n"),
                "\(result.output)"
            )
        }
    }

    @Test func `Pictures are sorted into folders by their best labels`() async throws {
        try await withTemporaryFolder { folder in
            let (red, blue) = (try Pictures.png(red: 255), try Pictures.png(blue: 255))
            try Pictures.write(["p/a.png": red, "p/b/c.png": blue, "p/gray.png": Pictures.png()], in: folder)
            let result = try await Command.run(
                ["label", "p", "--sort", "sorted/", "--model", Command.classifier, "--threshold", "0.9"],
                in: folder
            )
            #expect(
                result.status == 0 && result.output.hasSuffix("\n3 copies written to sorted/\n"),
                "\(result.errors)"
            )
            let places = [("sorted/red/a.png", red), ("sorted/blue/b/c.png", blue)]
            for (path, data) in places { #expect(try Data(contentsOf: folder.appending(path: path)) == data) }
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "sorted/unlabeled/gray.png").path))
        }
    }

    @Test func `A region that reaches beyond the pictures is named once`() async throws {
        try await withPictures(["p/a.png", "p/b.png"]) { folder in
            let result = try await Command.run(["detect", "p", "--roi", "0,0,100000,10"] + model, in: folder)
            let sentence =
                "sightline: --roi reaches beyond a picture of 40 × 20 pixels, of which only the part inside is used.\n"
            #expect(result.status == 0 && result.errors == sentence, "\(result.errors)")
        }
    }

    @Test func `A guess about a model's outputs is said`() async throws {
        try await withPictures(["a.png"]) { folder in
            for (name, isGuess) in [("ssd_unnamed", true), ("ssd_suppressed", false)] {
                let model = TestData.fixture("models/\(name).tflite").path
                let result = try await Command.run(["detect", "a.png", "--model", model], in: folder)
                #expect(result.status == 0)
                #expect(result.errors.contains("scores are assumed to come first") == isGuess, "\(result.errors)")
            }
        }
    }

    @Test func `A refused model is named with the runtime's reason`() async throws {
        try await withPictures(["a.png"]) { folder in
            let model = TestData.fixture("models/classifier_newer.tflite").path
            let result = try await Command.run(["label", "a.png", "--model", model], in: folder)
            let reason = "it does not know the operator FULLY_CONNECTED in version 99"
            #expect(result.status == 2 && result.errors.contains(reason), "\(result.errors)")
            #expect(result.errors.contains("a newer TensorFlow converted it"))
            #expect(result.errors.filter { $0 == "\n" }.count == 1)
            let inspection = try await Command.run(["inspect", model])
            #expect(inspection.status == 1 && inspection.output.contains(reason))
            #expect(!inspection.output.contains("sightline label"))
        }
    }

    @Test func `Objects that an allowed name leaves out are counted`() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: TestData.fixture("models/any_object.tflite"),
                to: folder.appending(path: "model.tflite")
            )
            let sidecar = """
                {"head": "distances", "labels": "names.txt", "objectLabel": "thing", "labelThresholds": {"cat": 0.7, "dog": 0.5, \
                "cup": 0.5}, "groups": [{"name": "animal", "labels": ["cat", "dog"], "threshold": 0.3}], "input": {"fit": "stretch"}}
                """
            try Data(sidecar.utf8).write(to: folder.appending(path: "model.sightline.json"))
            try Data("cat\ndog\ncup\nbowl\nthing\n".utf8).write(to: folder.appending(path: "names.txt"))
            try Pictures.write(["a.png": Pictures.png(red: 255)], in: folder)
            let command = ["detect", "a.png", "--model", "model.tflite", "--threshold", "0.1", "--format", "jsonl"]
            let result = try await Command.run(command + ["--allow", "dog"], in: folder)
            #expect(try result.records().first?["unnamed"] as? Int == 2)
            #expect(result.errors.hasPrefix("sightline: 2 objects without an allowed name were left out: "))
            let animals = try await Command.run(command + ["--allow", "animal"], in: folder)
            let objects = try #require(try animals.records().first?["objects"] as? [[String: Any]])
            let names = objects.compactMap { ($0["labels"] as? [[String: Any]])?.first?["text"] as? String }
            #expect(names == ["cat", "animal"])
        }
    }

    @Test func theFormatFollowsFromTheNameOfTheFile() async throws {
        try await withPictures(["a.png"]) { folder in
            let files = [("a.csv", "image,object,"), ("a.jsonl", #"{"image":"#), ("a.json", "[\n{")]
            for (name, beginning) in files {
                let result = try await Command.run(["detect", "a.png", "--output", name] + model, in: folder)
                #expect(result.status == 0 && result.output == "")
                #expect(try text(name, in: folder).hasPrefix(beginning))
            }
        }
    }

    @Test func thePrefixStandsBeforeTheNamesOfPictures() async throws {
        try await withPictures(["a.png"]) { folder in
            let result = try await Command.run(
                ["detect", "a.png", "--format", "label-studio", "--image-prefix", "https://example.org/"] + model,
                in: folder
            )
            let tasks = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
            )
            #expect(tasks.map { $0["data"] as? [String: String] } == [["image": "https://example.org/a.png"]])
        }
    }

    @Test func thePrefixStandsInPlaceOfTheFolder() async throws {
        try await withPictures(["p/a b#.png", "p/more/c.png"]) { folder in
            let result = try await Command.run(
                ["detect", "p", "--format", "jsonl", "--image-prefix", "https://example.org/p/"] + model,
                in: folder
            )
            let names = try result.records().map { $0["image"] as? String }
            #expect(names == ["https://example.org/p/a%20b%23.png", "https://example.org/p/more/c.png"])
            let local = try await Command.run(
                ["detect", "p/", "--format", "jsonl", "--image-prefix", "/data/"] + model,
                in: folder
            )
            #expect(try local.records().map { $0["image"] as? String } == ["/data/a b#.png", "/data/more/c.png"])
        }
    }

    @Test func withoutTimesEqualRunsWriteEqualJSON() async throws {
        try await withPictures(["p/a.png", "p/b.png"]) { folder in
            for command in [["detect", "p"], ["track", "p"]] {
                for format in ["json", "jsonl"] {
                    let arguments = command + ["--format", format, "--no-times"] + model
                    let first = try await Command.run(arguments, in: folder)
                    #expect(first.status == 0 && !first.output.contains("milliseconds"))
                    #expect(try await Command.run(arguments, in: folder).output == first.output)
                }
            }
        }
    }

    @Test func aDataSetForTrainingHasItsPictures() async throws {
        try await withPictures(["p/a.png", "p/more/b.png"]) { folder in
            for _ in 0..<2 {
                let result = try await Command.run(
                    ["detect", "p", "--format", "yolo", "--output", "p/set"] + model,
                    in: folder
                )
                #expect(result.status == 0, "\(result.errors)")
            }
            for name in ["a", "more/b"] {
                #expect(try Data(contentsOf: folder.appending(path: "p/set/images/\(name).png")).isEmpty == false)
                #expect(FileManager.default.fileExists(atPath: folder.path + "/p/set/labels/\(name).txt"))
            }
            // The model agrees with itself.
            let report = try await Command.run(["evaluate", "boxes", "p/set", "--format", "json"] + model, in: folder)
            #expect(report.status == 0, "\(report.errors)")
            let document = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
            #expect(document?["pictureCount"] as? Int == 2)
            #expect((document?["summary"] as? [String: Any])?["ap"] as? Double ?? 0 > 0.9)
        }
    }

    @Test func failuresAreAlsoOnStandardErrorWithJSON() async throws {
        try await withPictures([]) { folder in
            let result = try await Command.run(["detect", "none.png", "--format", "json"] + model, in: folder)
            #expect(result.status == 2)
            #expect(result.output.contains("there is no such file") && result.errors.contains("there is no such file"))
        }
    }

    @Test func eachObjectBecomesAPictureOfItsOwn() async throws {
        try await withPictures(["p/a.png"]) { folder in
            let result = try await Command.run(
                ["detect", "p", "--crop", "p/crops", "--annotate", "found"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            let labels = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/p/crops").sorted()
            #expect(labels == ["blue", "red"])
            let whole = try VisionImage(contentsOf: folder.appending(path: "p/a.png")).size
            let part = try VisionImage(contentsOf: folder.appending(path: "p/crops/red/a-1.jpg")).size
            #expect(part.width < whole.width)
            // A second run does not take the objects for pictures.
            let again = try await Command.run(
                ["detect", "p", "--crop", "p/crops", "--format", "jsonl"] + model,
                in: folder
            )
            #expect(try again.records().count == 1)
        }
    }

    @Test func cropsDoNotGoIntoTheFolderOfThePictures() async throws {
        try await withPictures(["p/a.png"]) { folder in
            let result = try await Command.run(["detect", "p/a.png", "--crop", "p"] + model, in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("--crop would mix objects with the pictures"))
        }
    }

    @Test func theObjectsOfAVideoAreSortedByIdentity() async throws {
        try await withPictures((10..<14).map { "frames/\($0).png" }) { folder in
            let result = try await Command.run(
                ["track", "frames", "--crop", "crops", "--format", "yolo", "-o", "set"] + model,
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            let ids = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/crops").sorted()
            #expect(ids == ["1", "2"])
            let labels = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/set/labels").sorted()
            #expect(labels == ["000001.txt", "000002.txt", "000003.txt", "000004.txt"])
        }
    }

    @Test func blurHidesTheChosenObjectsOnly() async throws {
        try await withPictures([]) { folder in
            try Pictures.write(["a.png": Pictures.stripes()], in: folder)
            func picture(_ options: [String]) async throws -> Data {
                let result = try await Command.run(
                    ["detect", "a.png", "--annotate", "out.png"] + options + model,
                    in: folder
                )
                #expect(result.status == 0, "\(result.errors)")
                let image = try VisionImage(contentsOf: folder.appending(path: "out.png"))
                return try #require(try image.upright().planes.first).data
            }
            func grayPixels(_ options: [String]) async throws -> Int {
                try await picture(options).count { $0 != 0 && $0 != 255 }
            }
            let (all, red) = (try await grayPixels(["--blur"]), try await grayPixels(["--blur", "--allow", "red"]))
            #expect(0 < red && red < all)
            #expect(try await picture(["--draw", "zone,blur"]) == picture(["--blur"]))
        }
    }

    @Test func trackAcceptsTheOptionsOfDetect() async throws {
        try await withPictures((10..<14).map { "frames/\($0).png" }) { folder in
            let all = try await Command.run(["track", "frames", "--format", "mot"] + model, in: folder)
            let left = try await Command.run(
                [
                    "track", "frames", "--format", "mot", "--roi", "0,0,20,20", "--iou-threshold", "0.5",
                    "--max-labels", "1",
                ] + model,
                in: folder
            )
            #expect(all.status == 0 && left.status == 0, "\(left.errors)")
            #expect(!all.lines.isEmpty && all.lines != left.lines)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedDocumentOfCOCOIsWhole(signal: Int32) async throws {
        try await withPictures(["a.png"]) { folder in
            let text = try await Command.interrupted(
                by: signal,
                ["detect", "--stdin", "--format", "coco"] + model,
                input: "a.png\n",
                in: folder
            ) { $0.contains("\"bbox\"") }.output
            let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]]
            #expect(document?["images"]?.count == 1)
        }
    }
}
