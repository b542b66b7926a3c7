import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// The numbers of a report that compares masks.
@Suite(.hangLimit) struct MaskScoringTests {
    private struct Expected: Decodable {
        var summary: [Double]
        var classAgnostic: [Double]
    }

    private func report(_ annotations: Any, _ detections: Any, masks: Bool = true) throws -> BoxReport {
        try withTemporaryFolder { folder in
            let (known, found) = (folder.appending(path: "known.json"), folder.appending(path: "found.json"))
            try JSONSerialization.data(withJSONObject: annotations).write(to: known)
            try JSONSerialization.data(withJSONObject: detections).write(to: found)
            let annotations = try BoxAnnotations(contentsOf: known, masks: masks)
            return BoxEvaluator.evaluate(try BoxDetections(contentsOf: found, for: annotations), annotations)
        }
    }

    @Test(arguments: 0..<5) func theNumbersAreThoseOfPycocotools(index: Int) throws {
        let data = try Data(contentsOf: TestData.fixture("boxes/masks.json"))
        let fixture = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let cases = try #require(fixture["cases"] as? [[String: Any]])
        let (annotations, detections) = (try #require(cases[index]["annotations"]), cases[index]["detections"])
        let expected = try JSONDecoder().decode(
            Expected.self,
            from: JSONSerialization.data(withJSONObject: try #require(cases[index]["expected"]))
        )
        let report = try report(annotations, try #require(detections))
        #expect(report.comparison == .masks)
        for (found, expected) in zip(try #require(report.summary).numbers, expected.summary) {
            #expect(abs(found - expected) < 1e-9)
        }
        for (found, expected) in zip(report.classAgnostic.numbers, expected.classAgnostic) {
            #expect(abs(found - expected) < 1e-9)
        }
    }

    private func annotations(_ segmentation: Any?) -> [String: Any] {
        var annotation: [String: Any] = ["id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 40, 40]]
        annotation["segmentation"] = segmentation
        return [
            "images": [["id": 1, "file_name": "1.png", "width": 100, "height": 100]],
            "categories": [["id": 1, "name": "red"]], "annotations": [annotation],
        ]
    }

    private let square: [Double] = [10, 10, 50, 10, 50, 50, 10, 50]

    /// An object in the corners of its box, and a detection of the whole box.
    @Test func aBoxThatFitsIsNoMaskThatFits() throws {
        let corners = [[10, 10, 50, 10, 10, 50.0]]
        let found: [[String: Any]] = [["image_id": 1, "category_id": 1, "bbox": [10, 10, 40, 40], "score": 0.9]]
        #expect(try report(annotations(corners), found, masks: false).summary?.ap.map { abs($0 - 1) < 1e-9 } == true)
        #expect(try report(annotations(corners), found).summary?.ap75 == 0)
        #expect(try report(annotations([square]), found).summary?.ap.map { abs($0 - 1) < 1e-9 } == true)
    }

    @Test func areasAndBoxesAreThoseOfTheMasksWhereAbsent() throws {
        var known = annotations([square])
        known["annotations"] = [["id": 1, "image_id": 1, "category_id": 1, "segmentation": [square]]]
        let found: [[String: Any]] = [["image_id": 1, "category_id": 1, "segmentation": [square], "score": 0.9]]
        let summary = try report(known, found).summary
        #expect(summary?.apMedium.map { abs($0 - 1) < 1e-9 } == true)
        #expect(summary?.apSmall == nil)
    }

    @Test(arguments: [
        "absent", "text", "[]", "[[1, 2]]", #"{"size": [100, 100], "counts": [5]}"#,
        #"{"size": [100, 100], "counts": "0"}"#, #"{"size": [100], "counts": []}"#, "[[1e300, 1, 2, 2, 3, 3]]",
    ])
    func anOutlineThatCannotBeUsedIsNamed(text: String) throws {
        let value: Any? =
            switch text {
            case "absent": nil
            case "text": "text"
            default: try JSONSerialization.jsonObject(with: Data(text.utf8))
            }
        // Two corners enclose nothing, which is not a mistake in the form.
        guard text != "[[1, 2]]" else {
            #expect(try report(annotations(value), [[String: Any]]()).summary?.ap == 0)
            return
        }
        #expect {
            try report(annotations(value), [[String: Any]]())
        } throws: { error in
            guard case EvaluationError.malformed(_, let reason) = error else { return false }
            return reason.contains(
                text == "absent" ? "annotations[0] lacks \"segmentation\"" : "annotations[0].segmentation is"
            )
                && reason.contains("expected polygons with three corners or more, or runs (RLE)")
        }
    }

    @Test func aModelWithoutMasksIsRefused() async throws {
        let folder = TestData.fixture("models")
        let evaluator = try BoxEvaluator(
            options: BoxEvaluatorOptions(model: LocalModel(url: folder.appending(path: "ssd.tflite")))
        )
        try await withTemporaryFolder { folder in
            let known = folder.appending(path: "annotations.json")
            try JSONSerialization.data(withJSONObject: annotations([square])).write(to: known)
            let pictures = try AnnotatedPictures(contentsOf: known, masks: true)
            await #expect(throws: EvaluationError.noMasks(model: "ssd.tflite")) {
                try await evaluator.evaluate(pictures)
            }
        }
    }

    @Test func outlinesOfYOLOAreMasks() throws {
        try withTemporaryFolder { folder in
            let (images, labels) = (folder.appending(path: "images"), folder.appending(path: "labels"))
            for place in [images, labels] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            try FileManager.default.copyItem(
                at: TestData.fixture("images/exif-1.png"),
                to: images.appending(path: "1.png")
            )
            try Data("cat\n".utf8).write(to: folder.appending(path: "classes.txt"))
            try Data("0 0 0 1 0 0 1\n0 0.5 0.5 1 1\n".utf8).write(to: labels.appending(path: "1.txt"))
            let known = try AnnotatedPictures(contentsOf: folder, masks: true).annotations
            let size = known.pictures[0].size
            let areas = known.objects.map { Double($0.mask?.area ?? 0) / Double(size.width * size.height) }
            #expect(abs(areas[0] - 0.5) < 0.1)
            #expect(areas[1] == 1)
        }
    }
}
