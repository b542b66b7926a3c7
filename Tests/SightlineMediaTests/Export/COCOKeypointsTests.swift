import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Named points in COCO's format.
@Suite(.hangLimit) struct COCOKeypointsTests {
    private func person(_ names: [ObjectPoint.Name], at offset: Double = 0) -> DetectedObject {
        DetectedObject(
            frame: PixelRect(x: 0, y: 0, width: 100, height: 200),
            confidence: 0.9,
            labels: [Label(text: "person", index: 0, confidence: 0.9)],
            points: names.enumerated().map { number, name in
                ObjectPoint(
                    name,
                    at: PixelPoint(x: Double(number) + offset, y: 2 * Double(number)),
                    confidence: number == 0 ? 0.1 : 0.8
                )
            }
        )
    }

    private func document(_ objects: [DetectedObject]) throws -> [String: Any] {
        let text = CollectedText()
        var sink = try ResultFormat.coco.sink(ResultSinkOptions(kind: .objects)) { text.append($0) }
        try sink.begin()
        let size = PixelSize(width: 640, height: 480)
        let result = DetectionResult(objects: objects, size: size, timings: StageTimings())
        try sink.append(PictureResult(name: "a.jpg", outcome: .objects(result)))
        try sink.finish()
        return try #require(try JSONSerialization.jsonObject(with: Data(text.value.utf8)) as? [String: Any])
    }

    @Test func anAnnotationHasItsPointsAndItsCategoryTheirNamesAndBones() throws {
        let document = try document([person([.leftHip, .leftKnee, .leftAnkle], at: 0.5)])
        let annotation = try #require((document["annotations"] as? [[String: Any]])?.first)
        #expect(annotation["keypoints"] as? [Double] == [0.5, 0, 1, 1.5, 2, 2, 2.5, 4, 2])
        #expect(annotation["num_keypoints"] as? Int == 3)
        let category = try #require((document["categories"] as? [[String: Any]])?.first)
        #expect(category["keypoints"] as? [String] == ["left_hip", "left_knee", "left_ankle"])
        #expect(category["skeleton"] as? [[Int]] == [[3, 2], [2, 1]])
    }

    @Test func allAnnotationsOfACategoryHaveTheSameOrder() throws {
        let document = try document([
            person([.leftHip, .rightHip]), person([.rightHip, .leftHip]), person([.nose, .leftHip]),
        ])
        let annotations = try #require(document["annotations"] as? [[String: Any]])
        #expect(annotations[1]["keypoints"] as? [Double] == [1, 2, 2, 0, 0, 1])
        #expect(annotations[2]["keypoints"] == nil)
    }

    @Test func facesHavePointsAndNoBones() throws {
        let document = try document([person([.rightEye, .leftEye, .noseTip])])
        let category = try #require((document["categories"] as? [[String: Any]])?.first)
        #expect(category["skeleton"] as? [[Int]] == [])
    }

    @Test func objectsWithoutPointsHaveNone() throws {
        var object = person([.nose])
        object.points = nil
        let document = try document([object])
        #expect((document["annotations"] as? [[String: Any]])?.first?["num_keypoints"] == nil)
        #expect((document["categories"] as? [[String: Any]])?.first?["keypoints"] == nil)
    }
}
