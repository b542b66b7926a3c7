import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Points of bodies in the commands. Tests/Fixtures/README.md has the model, which sees the same person in every picture.
@Suite(.hangLimit) struct PoseCommandTests {
    private static let pose = TestData.fixture("models/movenet_one.tflite").path

    private func withFrames(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for number in 1...6 {
                try Pictures.write(
                    ["frames/00\(10 + number).png": Pictures.png(red: 255, width: 100, height: 100)],
                    in: folder
                )
            }
            try await body(folder)
        }
    }

    private func track(_ arguments: [String], model: String = pose, in folder: URL) async throws -> Command.Result {
        try await Command.run(["track", "frames", "--model", model] + arguments, in: folder)
    }

    @Test func eachDetectedPersonHasPointsAndACarriedOneHasNone() async throws {
        try await withFrames { folder in
            let records = try await track(["--format", "jsonl", "--every", "2"], in: folder).records()
            // An object has its identity from its second detection on.
            for record in records.dropFirst(2) {
                let objects = try #require(record["objects"] as? [[String: Any]])
                #expect(objects.count == 1)
                for object in objects {
                    let points = object["points"] as? [[String: Any]]
                    #expect((points?.count == 17) == (object["detected"] as? Bool == true))
                }
            }
            #expect(Set(records.map { $0["detected"] as? Bool }) == [true, false])
        }
    }

    /// The box ends at 90 of 100 rows, and the mean of the ankles lies at 86.
    @Test(arguments: [("bottom", 0), ("center", 1), ("feet", 1)], [[], ["--offline"]])
    func aZoneCountsByAPoint(by: (name: String, count: Int), words: [String]) async throws {
        try await withFrames { folder in
            let zone = ["--zone", "yard=0,0 100,0 100,88 0,88", "--by", by.name] + words
            let result = try await track(zone, in: folder)
            #expect(result.status == 0)
            #expect(
                result.output.contains("\(by.count) began inside") == (by.count > 0),
                "\(result.output)"
            )
        }
    }

    @Test func aSkeletonIsDrawnOnEachFrame() async throws {
        try await withFrames { folder in
            let drawn = folder.appending(path: "drawn.png")
            let picture = folder.appending(path: "frames/0011.png").path
            let arguments = ["detect", picture, "--model", Self.pose, "--draw", "point", "--annotate", drawn.path]
            #expect(try await Command.run(arguments, in: folder).status == 0)
            let (seen, plain) = (try Data(contentsOf: drawn), try Data(contentsOf: URL(filePath: picture)))
            #expect(seen != plain)
        }
    }

    @Test(
        arguments: [
            (["--by", "feet"], "--by needs a --line or a --zone")
        ]
    )
    func optionsThatDoNotFitTogetherAreRefused(arguments: [String], sentence: String) async throws {
        try await withFrames { folder in
            let result = try await track(arguments, in: folder)
            #expect(result.status == 64 && result.errors.contains(sentence), "\(result.errors)")
        }
    }

    @Test func aModelWithoutAnklesIsRefusedByTrackAndByWatch() async throws {
        try await withFrames { folder in
            let line = ["--line", "0,50,100,50", "--by", "feet"]
            let result = try await track(line, model: Command.detector, in: folder)
            #expect(result.status != 0 && result.errors.contains("ssd_metadata.tflite gives no ankles"))
            let file = """
                cameras:
                  hall: {input: frames, model: \(Command.detector), line: "0,50,100,50", by: feet}
                """
            try Data(file.utf8).write(to: folder.appending(path: "cameras.yaml"))
            let watch = try await Command.run(["watch", "cameras.yaml", "--check"], in: folder)
            #expect(watch.status != 0 && watch.errors.contains("gives no ankles"), "\(watch.errors)")
        }
    }

    // MARK: Measuring

    private func withKeypoints(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let points = (0..<17).map { "\(10 + $0),\(20 + $0),2" }.joined(separator: ",")
            try Pictures.write(
                [
                    "people.json": Data(
                        """
                        {"images":[{"id":1,"file_name":"1.png","width":100,"height":100}],
                        "categories":[{"id":1,"name":"person"}],
                        "annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[10,20,40,40],"area":1600,"keypoints":[\(points)]}]}
                        """.utf8
                    ),
                    "results.json": Data(
                        #"[{"image_id":1,"category_id":1,"keypoints":[\#(points)],"score":0.9}]"#.utf8
                    ),
                    "boxes.json": Data(#"[{"image_id":1,"category_id":1,"bbox":[10,20,40,40],"score":0.9}]"#.utf8),
                    "images/1.png": Pictures.png(red: 255, width: 100, height: 100),
                ],
                in: folder
            )
            try await body(folder)
        }
    }

    @Test func keyPointsAreMeasuredAsATableAndAsJSON() async throws {
        try await withKeypoints { folder in
            let command = ["evaluate", "boxes", "people.json", "--keypoints", "--detections", "results.json"]
            let table = try await Command.run(command, in: folder)
            #expect(table.status == 0 && table.output.contains("AP, OKS .50:.05:.95"), "\(table.errors)")
            #expect(!table.output.contains("small objects"))
            let json = try await Command.run(command + ["--format", "json"], in: folder)
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            )
            let summary = try #require(report["summary"] as? [String: Any])
            #expect(report["comparison"] as? String == "keypoints" && summary["ap"] as? Double ?? 0 > 0.999)
        }
    }

    @Test func resultsOrModelsWithoutPointsAreNamed() async throws {
        try await withKeypoints { folder in
            let command = ["evaluate", "boxes", "people.json", "--keypoints"]
            let boxes = try await Command.run(command + ["--detections", "boxes.json"], in: folder)
            #expect(boxes.status != 0 && boxes.errors.contains("[0] lacks \"keypoints\""), "\(boxes.errors)")
            let labels = TestData.fixture("models/yolo_one_class.tflite").path
            let model = try await Command.run(command + ["--model", labels], in: folder)
            #expect(model.status != 0 && model.errors.contains("yolo_one_class.tflite gives no key points"))
        }
    }
}
