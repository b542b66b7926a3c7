import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The process in which the hub evaluates a model on a stranger's pictures.
@Suite(.hangLimit)
struct EvaluateLabelsTests {
    private let model = TestData.fixture("models/classifier_float_metadata.tflite").path
    private let picture = TestData.fixture("images/png-1x1.png")

    /// Runs it on pictures in a folder `colors` of which all lie in the folder `red`.
    private func run(_ arguments: [String] = [], pictures: [String: Data]) async throws -> (
        HubProgram.Result, [[String: Any]]
    ) {
        try await withTemporaryFolder { folder in
            for (name, data) in pictures {
                let url = folder.appending(path: "colors/red/\(name)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try data.write(to: url)
            }
            let result = try await HubProgram.run(
                ["evaluate-labels", model, folder.appending(path: "colors").path] + arguments
            )
            let lines = result.output.split(separator: "\n").map { Data($0.utf8) }
            return (result, lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] })
        }
    }

    @Test func writesProgressAndAtLastTheReport() async throws {
        let data = try Data(contentsOf: picture)
        let (result, lines) = try await run(
            ["--name", "plants"],
            pictures: ["1.png": data, "2.png": data, "x.txt": Data("x".utf8)]
        )
        #expect(result.status == 0)
        let progress = lines.compactMap { $0["progress"] as? [String: Int] }
        #expect(progress.last == ["done": 3, "skipped": 1, "total": 3])
        let report = try #require(lines.last?["report"] as? [String: Any])
        #expect(report["pictureCount"] as? Int == 2)
        #expect((report["model"] as? [String: Any])?["name"] as? String == "plants")
        #expect(lines.count == progress.count + 1)
    }

    @Test func aModelThatCanBeFasterIsReportedOnceMoreWithItsComparison() async throws {
        try await withTemporaryFolder { folder in
            let pictures = folder.appending(path: "digits/class 3")
            try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
            try Data(contentsOf: picture).write(to: pictures.appending(path: "1.png"))
            let result = try await HubProgram.run([
                "evaluate-labels", TestData.fixture("models/uint8_classifier.tflite").path,
                folder.appending(path: "digits").path,
            ])
            let lines = try result.output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            let reports = lines.filter { $0["report"] != nil }
            #expect(result.status == 0 && reports.count == 2 && reports.first?["rewritten"] == nil)
            #expect(reports[0]["report"] as? NSDictionary == reports[1]["report"] as? NSDictionary)
            let comparison = try #require(lines.last?["rewritten"] as? [String: Any])
            // The fixture has random weights, so the best label of a picture without contrast may change.
            #expect(comparison["pictureCount"] as? Int == 1 && comparison["labeledCount"] as? Int == 1)
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func theFasterFormOfARealModelNamesFlowersAsWell() async throws {
        let photos = [
            "daisy": "daisy.jpeg", "dandelion": "dandelion.jpg", "roses": "roses.jpeg", "sunflowers": "sunflower.jpg",
            "tulips": "tulips.jpeg",
        ]
        try await withTemporaryFolder { folder in
            for (label, photo) in photos {
                let target = folder.appending(path: "flowers/\(label)")
                try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
                try FileManager.default.copyItem(
                    at: TestData.real("images/\(photo)"),
                    to: target.appending(path: photo)
                )
            }
            let model = TestData.real("models/automl_flowers")
            let result = try await HubProgram.run([
                "evaluate-labels", model.appending(path: "model.tflite").path, folder.appending(path: "flowers").path,
                "--labels", model.appending(path: "dict.txt").path,
            ])
            let line = try #require(result.output.split(separator: "\n").last)
            let found = try EvaluationOutput<LabelEvaluator>(json: Data(line.utf8))
            let comparison = try #require(found.rewritten)
            #expect(comparison.pictureCount == 5 && comparison.labeledCount == 5 && comparison.sameAnswers == 5)
            #expect(comparison.baseline.right == comparison.candidate.right && comparison.baseline.right >= 4)
            #expect(comparison.baseline.sha256 == found.report.model.sha256)
        }
    }

    @Test func anErrorIsTheLastLine() async throws {
        let (result, lines) = try await run(pictures: [:])
        #expect(result.status == 2)
        #expect((lines.last?["error"] as? String)?.contains("no such file or folder") == true)
        let damaged = try await withTemporaryFolder { folder in
            let zip = folder.appending(path: "bad.zip")
            try Data("PK nothing".utf8).write(to: zip)
            return try await HubProgram.run(["evaluate-labels", model, zip.path])
        }
        #expect(damaged.status == 2)
        #expect(damaged.output.contains("is not a readable zip archive"))
    }

    @Test func givesNoReportWithoutTheMemoryForIt() async throws {
        let (result, lines) = try await run(
            ["--memory", "1000000"],
            pictures: ["1.png": try Data(contentsOf: picture)]
        )
        #expect(result.status != 0)
        #expect(lines.allSatisfy { $0["report"] == nil })
    }

    @Test func isNotShownInTheHelp() async throws {
        #expect(try await HubProgram.run(["--help"]).output.contains("evaluate-labels") == false)
    }
}
