import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// A real detector on annotated pictures, and files that are not what they should be.
@Suite(.hangLimit)
struct BoxEvaluatorTests {
    /// The fixture model finds red at 20, 10, 40 × 40, blue at 55, 50, 40 × 40 and green at 70, 5, 20 × 20 of 100.
    private func files() -> BoxFiles {
        var files = BoxFiles()
        files.objects = [
            (0, 0, [20, 10, 40, 40], false), (0, 2, [55, 50, 40, 40], false), (1, 0, [20, 10, 40, 40], false),
            (1, 1, [0, 60, 20, 20], false),
        ]
        return files
    }

    private func evaluate(_ files: BoxFiles, pictures: [String: Data]) async throws -> BoxReport {
        try await withTemporaryFolder { folder in
            try Pictures.write(pictures, in: folder)
            let known = folder.appending(path: "known.json")
            try files.annotations.write(to: known)
            let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
            return try await evaluator.evaluate(AnnotatedPictures(contentsOf: known, pictures: folder))
        }
    }

    @Test func aModelIsMeasured() async throws {
        let picture = try Pictures.png(red: 9, width: 100, height: 100)
        let report = try await evaluate(files(), pictures: ["1.png": picture, "2.png": picture])
        #expect(report.pictureCount == 2)
        #expect(report.detectionCount == 6)
        let red = try #require(report.categories.first { $0.name == "red" })
        #expect(red.ap50.map { abs($0 - 1) < 1e-9 } == true)
        #expect(report.categories.first { $0.name == "green" }?.ap == 0)
        #expect(report.model?.name == "ssd_metadata.tflite")
        #expect(report.unknownLabels.sentence == nil)
    }

    @Test func aPictureThatIsMissingIsToldAndNothingInItIsMissed() async throws {
        let picture = try Pictures.png(red: 9, width: 100, height: 100)
        let report = try await evaluate(files(), pictures: ["1.png": picture, "2.png": Data("no picture".utf8)])
        #expect(report.pictureCount == 1)
        #expect(report.objectCount == 2)
        #expect(report.skipped.pictures.map(\.path) == ["2.png"])
        #expect(report.summary?.ap50.map { abs($0 - 1) < 1e-9 } == true)
    }

    @Test func withoutAnyPictureThereIsNoReport() async throws {
        let error = await #expect(throws: EvaluationError.self) { try await evaluate(files(), pictures: [:]) }
        #expect(error.map { "\($0)".contains("No picture in") } == true)
    }

    @Test func labelsThatAreNoCategoryAreTold() async throws {
        var files = files()
        files.categories = ["Red", "green", "cyan"]
        let picture = try Pictures.png(red: 9, width: 100, height: 100)
        let report = try await evaluate(files, pictures: ["1.png": picture, "2.png": picture])
        #expect(report.unknownLabels.names == ["blue"])
        #expect(report.unknownLabels.sentence?.contains("2 detections") == true)
        files.categories = ["cyan", "magenta", "yellow"]
        await #expect(throws: EvaluationError.self) {
            try await evaluate(files, pictures: ["1.png": picture, "2.png": picture])
        }
    }

    @Test func nothingIsReadOutsideTheFolder() async throws {
        try await withTemporaryFolder { folder in
            let picture = try Pictures.png(red: 9, width: 100, height: 100)
            try Pictures.write(["out.png": picture, "in/1.png": picture], in: folder)
            let text = String(decoding: try files().annotations, as: UTF8.self)
                .replacing("2.png", with: "..\\/out.png")
            let known = folder.appending(path: "known.json")
            try Data(text.utf8).write(to: known)
            let evaluator = try BoxEvaluator(options: BoxEvaluatorOptions(model: Pictures.detector))
            let report = try await evaluator.evaluate(
                AnnotatedPictures(contentsOf: known, pictures: folder.appending(path: "in"))
            )
            #expect(report.skipped.pictures.map(\.path) == ["../out.png"])
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"images":[],"categories":[],"annotations":[]}"#,
        #"{"images":[{"id":1,"width":1,"height":1}],"categories":[],"annotations":[]}"#,
        #"{"images":[{"id":1,"width":1,"height":1},{"id":1,"width":1,"height":1}],"categories":[{"id":1,"name":"a"}],"annotations":[]}"#,
        #"{"images":[{"id":1,"width":1,"height":1}],"categories":[{"id":1,"name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3]}]}"#,
        #"{"images":[{"id":1,"width":1,"height":1}],"categories":[{"id":1,"name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3,1e300]}]}"#,
        #"{"images":[{"id":1e99,"width":1,"height":1}],"categories":[{"id":1,"name":"a"}],"annotations":[]}"#,
    ])
    func annotationsThatAreNoneAreRefused(text: String) throws {
        try withTemporaryFolder { folder in
            let known = folder.appending(path: "known.json")
            try Data(text.utf8).write(to: known)
            #expect(throws: EvaluationError.self) { _ = try BoxAnnotations(contentsOf: known) }
        }
    }

    @Test func hostileNumbersNeverTrap() throws {
        let numbers = ["0", "-1", "1e8", "-1e8", "0.0000001", "9007199254740993"]
        var random = RepeatableRandom(seed: 11)
        for _ in 0..<60 {
            func number() -> String { numbers.randomElement(using: &random) ?? "0" }
            let annotations = """
                {"images":[{"id":1,"width":\(Int.max),"height":0},{"id":-5,"width":-3,"height":7}],"categories":[{"id":1,"name":""}],
                "annotations":[{"image_id":1,"category_id":1,"bbox":[\(number()),\(number()),\(number()),1],"area":\(number())},
                {"image_id":-5,"category_id":1,"bbox":[0,0,\(number()),\(number())],"iscrowd":true}]}
                """
            let detections = """
                [{"image_id":1,"category_id":1,"bbox":[0,\(number()),\(number()),2],"score":\(number())},
                {"image_id":-5,"category_id":9,"bbox":[0,0,1,1],"score":1}]
                """
            do {
                let report = try BoxFiles.report(annotations: Data(annotations.utf8), detections: Data(detections.utf8))
                _ = (report.text(), report.csv(), report.html(pictures: nil))
            } catch {
                #expect(error is EvaluationError)
            }
        }
    }

    @Test func detectionsInPicturesThatAreNotListedAreRefused() throws {
        let error = #expect(throws: EvaluationError.self) {
            try BoxFiles.report(
                annotations: files().annotations,
                detections: Data(#"[{"image_id":77,"category_id":1,"bbox":[0,0,1,1],"score":1}]"#.utf8)
            )
        }
        #expect(error.map { "\($0)".contains("image 77") } == true)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func theBuiltInDetectorIsAsGoodAsItsTrainingSays() async throws {
        let pictures = try AnnotatedPictures(contentsOf: TestData.real("detection/annotations.json"))
        let report = try await BoxEvaluator().evaluate(pictures)
        #expect(report.summary.map { ($0.ap50 ?? 0) > 0.28 } == true)
        #expect(report.prominent.ap50Over5Percent > 0.63)
        #expect(report.prominent.recall5Over5Percent > 0.64)
    }
}
