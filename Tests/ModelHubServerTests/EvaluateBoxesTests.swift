import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The process in which the hub evaluates a detector on a stranger's pictures.
@Suite(.hangLimit)
struct EvaluateBoxesTests {
    /// Runs it on an archive.
    private func run(
        _ model: URL,
        _ archive: Data,
        _ arguments: [String] = []
    ) async throws -> (HubProgram.Result, [[String: Any]], EvaluationOutput<BoxEvaluator>?) {
        try await withTemporaryFolder { folder in
            let (zip, file) = (folder.appending(path: "street.zip"), folder.appending(path: "model.tflite"))
            try archive.write(to: zip)
            try Data(contentsOf: model).write(to: file)
            let result = try await HubProgram.run(["evaluate-boxes", file.path, zip.path] + arguments)
            let lines = result.output.split(separator: "\n").map { Data($0.utf8) }
            return (
                result, lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] },
                try? lines.last.flatMap { try EvaluationOutput<BoxEvaluator>(json: $0) }
            )
        }
    }

    @Test func writesProgressAndAtLastTheReport() async throws {
        let (result, lines, found) = try await run(
            BoxPictures.detector,
            try BoxPictures.archive(),
            ["--name", "street"]
        )
        #expect(result.status == 0, "\(result.output)")
        let progress = lines.compactMap { $0["progress"] as? [String: Int] }
        #expect(progress.last == ["done": 3, "skipped": 1, "total": 3])
        let report = try #require(found?.report)
        #expect(report.pictureCount == 2 && report.objectCount == 3 && report.model?.name == "street")
        #expect(report.categories.first { $0.name == "red" }?.ap50.map { abs($0 - 1) < 1e-9 } == true)
        #expect(report.pictures.map(\.path).contains("images/2.png"))
        #expect(found?.rewritten == nil && found?.served == nil)
    }

    @Test func aServedVersionAndAFasterFormAreCompared() async throws {
        try await withTemporaryFolder { folder in
            let model = folder.appending(path: "faster.tflite")
            try BoxPictures.rewritable().write(to: model)
            let (result, lines, found) = try await run(
                model,
                try BoxPictures.archive(),
                ["--served", BoxPictures.detector.path]
            )
            #expect(result.status == 0, "\(result.output)")
            #expect(lines.filter { $0["report"] != nil }.count == 3)
            let (served, rewritten) = (try #require(found?.served), try #require(found?.rewritten))
            #expect(served.pictureCount == 2 && served.boxCount == 6 && served.baseline.ap ?? 0 > 0.3)
            #expect(rewritten.pictureCount == 2 && !rewritten.rewrites.isEmpty)
            #expect(rewritten.baseline.model.sha256 == found?.report.model?.sha256)
            #expect(served.candidate.model.sha256 == rewritten.baseline.model.sha256)
        }
    }

    @Test func anErrorIsTheLastLine() async throws {
        for (archive, text) in [
            (Data("PK nothing".utf8), "is not a readable zip archive"),
            (zipArchive([("images/1.png", Data("x".utf8))]), "no JSON file with annotations"),
            (zipArchive([("annotations.json", try BoxPictures.annotations())]), "No picture in"),
        ] {
            let (result, lines, _) = try await run(BoxPictures.detector, archive)
            #expect(result.status == 2)
            #expect((lines.last?["error"] as? String)?.contains(text) == true, "\(result.output)")
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func theFasterFormOfARealDetectorFindsTheSameBoxes() async throws {
        let archive = try BoxPictures.real(count: 12)
        let model = TestData.real("models/coco_ssd/detect_with_metadata.tflite")
        let (result, _, found) = try await run(model, archive)
        #expect(result.status == 0, "\(result.output)")
        let report = try #require(found?.report)
        #expect(report.pictureCount == 12 && report.summary?.ap ?? 0 > 0.05)
        let comparison = try #require(found?.rewritten)
        #expect(comparison.pictureCount == 12 && comparison.boxCount > 20)
        // The weights of a few channels are rounded.
        #expect(Double(comparison.sameBoxes) > 0.9 * Double(comparison.boxCount))
        #expect(abs((comparison.baseline.ap ?? 0) - (comparison.candidate.ap ?? 1)) < 0.02)
    }
}
