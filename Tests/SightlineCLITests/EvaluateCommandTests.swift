import Foundation
import SightlineTestSupport
import Testing

/// `sightline evaluate`.
@Suite(.hangLimit)
struct EvaluateCommandTests {
    private func withPictures(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "colors/red/1.png": try Pictures.png(red: 255), "colors/red/2.png": try Pictures.png(green: 255),
                    "colors/green/1.png": try Pictures.png(green: 255),
                    "colors/pink/1.png": try Pictures.png(red: 255),
                    "colors/green/broken.png": Data("no picture".utf8),
                    "boxes/images/1.png": try Pictures.png(red: 255, width: 100, height: 100),
                    "boxes/known.json": Data(
                        """
                        {"images":[{"id":1,"file_name":"1.png","width":100,"height":100}],
                        "categories":[{"id":1,"name":"red"},{"id":2,"name":"green"},{"id":3,"name":"blue"}],
                        "annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[20,10,40,40]},
                        {"id":2,"image_id":1,"category_id":2,"bbox":[0,50,20,20]}]}
                        """.utf8
                    ),
                    "boxes/found.json": Data(
                        #"[{"image_id":1,"category_id":1,"bbox":[20,10,40,40],"score":0.9}]"#.utf8
                    ),
                ],
                in: folder
            )
            try await body(folder)
        }
    }

    @Test func labelsArePrintedAsATable() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["evaluate", "labels", "colors", "--model", Command.classifier],
                in: folder
            )
            // One picture is broken.
            #expect(result.status == 1)
            #expect(result.errors == "")
            for part in ["Top-1         66.7 %", "best F1", "red", "green (1)", "pink", "broken.png"] {
                #expect(result.output.contains(part), "\(part)")
            }
        }
    }

    @Test func slicesAreSearchedAndTold() async throws {
        try await withPictures { folder in
            let command = [
                "evaluate", "boxes", "boxes/known.json", "--images", "boxes/images", "--model", Command.detector,
            ]
            func report(_ arguments: [String]) async throws -> [String: Any] {
                let result = try await Command.run(command + arguments + ["--format", "json"], in: folder)
                return try #require(
                    try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
                )
            }
            let (whole, sliced) = (try await report([]), try await report(["--slice", "50"]))
            #expect(whole["slicePixels"] == nil && sliced["slicePixels"] as? Int == 50)
            let counts = try [whole, sliced].map { try #require($0["detectionCount"] as? Int) }
            #expect(counts[1] > counts[0])
            let table = try await Command.run(command + ["--slice", "50"], in: folder)
            #expect(table.output.contains("50 pixels, besides the whole picture"))
        }
    }

    @Test func labelsArePrintedAsJSONAndCSV() async throws {
        try await withPictures { folder in
            let command = ["evaluate", "labels", "colors", "--model", Command.classifier, "--format"]
            let json = try await Command.run(command + ["json"], in: folder)
            let report = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(report?["pictureCount"] as? Int == 3)
            let csv = try await Command.run(command + ["csv", "--threshold", "0.2"], in: folder)
            #expect(csv.lines.first?.hasPrefix("label,pictures,threshold") == true)
            #expect(csv.lines.contains { $0.hasPrefix("red,2,0.20,1,1,1.000000,0.500000") })
        }
    }

    @Test func theReportIsWrittenAsOneFile() async throws {
        try await withPictures { folder in
            let result = try await Command.run(
                ["evaluate", "labels", "colors", "--model", Command.classifier, "--html", "report.html"],
                in: folder
            )
            #expect(result.status == 1)
            let page = try String(contentsOf: folder.appending(path: "report.html"), encoding: .utf8)
            #expect(page.hasPrefix("<!doctype html>") && page.contains("data:image/jpeg;base64,"))
            let refused = try await Command.run(
                ["evaluate", "labels", "colors", "--model", Command.classifier, "--html", "no/such/report.html"],
                in: folder
            )
            #expect(refused.status == 2)
            #expect(refused.errors.contains("no/such/report.html cannot be written"))
        }
    }

    @Test func boxesAreMeasuredWithAModelAndWithGivenDetections() async throws {
        try await withPictures { folder in
            let model = try await Command.run(
                ["evaluate", "boxes", "boxes/known.json", "--model", Command.detector, "--html", "report.html"],
                in: folder
            )
            #expect(model.status == 0)
            #expect(model.output.contains("AP, IoU .50:.05:.95"))
            let page = try String(contentsOf: folder.appending(path: "report.html"), encoding: .utf8)
            #expect(page.contains(#"<rect class="missed""#))
            let given = try await Command.run(
                ["evaluate", "boxes", "boxes/known.json", "--detections", "boxes/found.json", "--format", "json"],
                in: folder
            )
            let report = try JSONSerialization.jsonObject(with: Data(given.output.utf8)) as? [String: Any]
            let summary = report?["summary"] as? [String: Any]
            #expect((summary?["ap"] as? Double).map { abs($0 - 0.5) < 1e-9 } == true)
            #expect(report?["detectionsSource"] as? String == "found.json")
        }
    }

    @Test(arguments: [
        ["evaluate", "labels", "nowhere"], ["evaluate", "labels", "boxes/known.json"], ["evaluate", "labels", "empty"],
        ["evaluate", "labels", "colors", "--model", "no.tflite"], ["evaluate", "boxes", "nowhere.json"],
        ["evaluate", "boxes", "boxes/found.json"],
        ["evaluate", "boxes", "boxes/known.json", "--detections", "boxes/known.json"],
        ["evaluate", "boxes", "boxes/known.json", "--images", "empty"],
    ])
    func whatCannotBeDoneIsSaidInOneLine(arguments: [String]) async throws {
        try await withPictures { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"),
                withIntermediateDirectories: true
            )
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 2)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("sightline: ") && result.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test(arguments: [
        ["evaluate", "labels"], ["evaluate", "labels", "a", "--threshold", "2"],
        ["evaluate", "labels", "a", "--workers", "0"],
        ["evaluate", "labels", "a", "--labels", "b"], ["evaluate", "labels", "a", "--precision", "-1"],
        ["evaluate", "boxes", "a", "--detections", "b", "--model", "c"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) async throws {
        #expect(try await Command.run(arguments).status == 64)
    }
}
