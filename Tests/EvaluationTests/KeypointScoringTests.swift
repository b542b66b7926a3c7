import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// The comparison of key points.
@Suite(.hangLimit) struct KeypointScoringTests {
    private func report(_ annotations: Any, _ detections: Any) throws -> BoxReport {
        try withTemporaryFolder { folder in
            let (known, found) = (folder.appending(path: "known.json"), folder.appending(path: "found.json"))
            try JSONSerialization.data(withJSONObject: annotations).write(to: known)
            try JSONSerialization.data(withJSONObject: detections).write(to: found)
            let annotations = try BoxAnnotations(contentsOf: known).comparingKeypoints()
            return BoxEvaluator.evaluate(try BoxDetections(contentsOf: found, for: annotations), annotations)
        }
    }

    private static func cases() throws -> [[String: Any]] {
        let data = try Data(contentsOf: TestData.fixture("boxes/keypoints.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }

    @Test(arguments: 0..<6) func theNumbersAreThoseOfPycocotools(index: Int) throws {
        let item = try Self.cases()[index]
        let expected = try #require(item["expected"] as? [Double])
        let report = try report(try #require(item["annotations"]), try #require(item["detections"]))
        let summary = try #require(report.summary)
        let found = [
            summary.ap, summary.ap50, summary.ap75, summary.apMedium, summary.apLarge, summary.ar20, summary.ar50,
            summary.ar75, summary.arMedium, summary.arLarge,
        ]
        for (found, expected) in zip(found, expected) { #expect(abs((found ?? -1) - expected) < 1e-9) }
        #expect(summary.ar100 == nil && summary.apSmall == nil && report.comparison == .keypoints)
        #expect(try JSONDecoder().decode(BoxReport.self, from: JSONEncoder().encode(report)) == report)
        try report.check()
    }

    /// An object and a detection of two points, which COCO's rules give different weights.
    private func files(
        _ found: [Double]?,
        known: [Double] = [10, 10, 2, 30, 30, 1]
    ) -> (annotations: [String: Any], detections: [[String: Any]]) {
        var detection: [String: Any] = ["image_id": 1, "category_id": 1, "score": 0.5, "bbox": [10, 10, 20, 20]]
        detection["keypoints"] = found
        return (
            [
                "images": [["id": 1, "file_name": "a.png", "width": 100, "height": 100]],
                "categories": [["id": 1, "name": "person", "keypoints": ["head", "tail"]]],
                "annotations": [
                    [
                        "id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0,
                        "keypoints": known,
                    ]
                ],
            ], [detection]
        )
    }

    @Test func pointsAtTheirPlacesAreRightAndFarOnesAreWrong() throws {
        for (points, ap) in [([10.0, 10, 1, 30, 30, 1], 1.0), ([90, 90, 1, 30, 90, 1], 0)] {
            let files = files(points)
            let found = try #require(try report(files.annotations, files.detections).summary?.ap)
            #expect(abs(found - ap) < 1e-12)
        }
    }

    @Test func otherNumbersOfPointsDoNotMatch() throws {
        let files = files([10, 10, 1])
        #expect(try report(files.annotations, files.detections).summary?.ap == 0)
    }

    @Test func filesWithoutPointsAreRefused() throws {
        for files in [files(nil), files([10, 10]), files([10, 10, 1, 30, 30, 1], known: [0, 0, 0, 0, 0, 0])] {
            #expect(throws: EvaluationError.self) { try report(files.annotations, files.detections) }
        }
    }

    /// Pictures whose objects are those of the fixture with points, in another order of the points.
    @Test func aModelsPointsAreComparedByTheirNames() async throws {
        try await withTemporaryFolder { folder in
            let pictures = folder.appending(path: "images")
            try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: TestData.fixture("images/scene.png"),
                to: pictures.appending(path: "a.png")
            )
            let size = try VisionImage(contentsOf: pictures.appending(path: "a.png")).size
            let (width, height) = (Double(size.width), Double(size.height))
            // The model fits pictures into a square with bars.
            let side = max(width, height)
            func place(_ number: Double) -> [Double] {
                [
                    (0.2 + number / 100) * side - (side - width) / 2, (0.1 + number / 100) * side - (side - height) / 2,
                    2,
                ]
            }
            let (eye, tail) = (place(1), place(2))
            let file = folder.appending(path: "known.json")
            let annotations: [String: Any] = [
                "images": [["id": 1, "file_name": "a.png", "width": size.width, "height": size.height]],
                "categories": [["id": 1, "name": "red", "keypoints": ["Tail", "left_eye"]]],
                "annotations": [
                    [
                        "id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, width / 2, height / 2], "area": 1000,
                        "iscrowd": 0, "keypoints": tail + eye,
                    ]
                ],
            ]
            try JSONSerialization.data(withJSONObject: annotations).write(to: file)
            let known = try AnnotatedPictures(contentsOf: file).comparingKeypoints()
            func evaluator(_ model: String) throws -> BoxEvaluator {
                try BoxEvaluator(options: .init(model: LocalModel(url: TestData.fixture("models/\(model).tflite"))))
            }
            let report = try await evaluator("yolo_points_named").evaluate(known)
            #expect(report.summary?.ap50.map { abs($0 - 1) < 1e-9 } == true)
            #expect(report.text().contains("OKS .50"))
            await #expect(throws: EvaluationError.self) { try await evaluator("yolov8_ultralytics").evaluate(known) }
        }
    }
}
