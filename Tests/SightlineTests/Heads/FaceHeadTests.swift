import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Faces, their points, and what finds them; Tests/Fixtures/README.md has the planted faces.
@Suite(.hangLimit) struct FaceHeadTests {
    private static let size = PixelSize(width: 200, height: 200)

    private func objects(
        _ model: String,
        size: PixelSize = size,
        change: (inout ObjectDetectorOptions) -> Void = { _ in }
    ) throws -> [DetectedObject] {
        var options = ObjectDetectorOptions(model: LocalModel(url: TestData.fixture("models/\(model).tflite")))
        change(&options)
        return try ObjectDetector(options: options).objects(in: .gray(size))
    }

    /// A mean of the planted faces A and C, weighted with their scores, in pixels.
    private func mean(_ first: Double, _ second: Double) -> Double { (first * 0.9 + second * 0.7) / 1.6 * 200 }

    @Test func overlappingFacesOfMediaPipeAreAveragedWithTheirPoints() throws {
        let faces = try objects("faces")
        #expect(faces.count == 2 && faces.allSatisfy { $0.labels.map(\.text) == ["face"] })
        let face = try #require(faces.first)
        #expect(abs(face.confidence - 0.9) < 1e-4)
        let expected = [mean(0.2, 0.21), mean(0.1, 0.12), 80, 80]
        for (found, wanted) in zip([face.frame.x, face.frame.y, face.frame.width, face.frame.height], expected) {
            #expect(abs(found - wanted) < 0.01, "\(face.frame)")
        }
        let points = try #require(face.points)
        let places: [(ObjectPoint.Name, Double, Double)] = [
            (.rightEye, 0.25, 0.3), (.leftEye, 0.75, 0.3), (.noseTip, 0.5, 0.55), (.mouthCenter, 0.5, 0.75),
            (.rightEarTragion, 0.05, 0.4), (.leftEarTragion, 0.95, 0.4),
        ]
        #expect(points.map(\.name) == places.map(\.0))
        for (point, (_, across, down)) in zip(points, places) {
            #expect(abs(point.position.x - (expected[0] + across * 80)) < 0.01)
            #expect(abs(point.position.y - (expected[1] + down * 80)) < 0.01)
        }
    }

    @Test func pointsLeaveTheLetterboxWithTheirFace() throws {
        let faces = try objects("faces", size: PixelSize(width: 400, height: 200))
        let face = try #require(faces.last)
        // The picture fills the middle half of the input's height: 0.55 of the width, and 0.5 of the height of the input.
        #expect(abs(face.frame.x - 220) < 0.1 && abs(face.frame.y - 100) < 0.1)
        let nose = try #require(face.points?.first { $0.name == .noseTip })
        #expect(abs(nose.position.x - (220 + 80)) < 0.1 && abs(nose.position.y - (100 + 0.55 * 160)) < 0.1)
    }

    @Test func modelsWithoutPointsGiveNone() throws {
        #expect(try objects("ssd") { $0.scoreThreshold = 0.1 }.allSatisfy { $0.points == nil })
        #expect(try objects("ultra_light_face").allSatisfy { $0.points == nil })
    }

    @Test func ultraLightFaceIsKnownByItsInputAndItsOpenRows() throws {
        let faces = try objects("ultra_light_face") { $0.scoreThreshold = 0.5 }
        #expect(faces.map { $0.labels.first?.text } == ["face", "face"])
        for (face, wanted) in zip(
            faces,
            [
                PixelRect(x: 40, y: 20, width: 80, height: 80), PixelRect(x: 110, y: 100, width: 80, height: 80),
            ]
        ) {
            #expect(face.frame.iou(wanted) > 0.99, "\(face.frame)")
        }
        let inspection = try ModelInspection(of: LocalModel(url: TestData.fixture("models/ultra_light_face.tflite")))
        #expect(inspection.assumptions.contains { $0.contains("Ultra-Light-Face at 320 × 240 pixels are assumed") })
    }

    @Test func anchorsOfAnotherModelAreAnErrorOnceTheRowsAreKnown() throws {
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: "model.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/ultra_light_face.tflite"), to: copy)
            let sidecar = #"{"anchors": {"squares": [{"stride": 8, "sizes": [10]}], "activation": "none"}}"#
            try Data(sidecar.utf8).write(to: folder.appending(path: "model.sightline.json"))
            let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: copy)))
            let error = #expect(throws: OutputError.self) { try detector.objects(in: .gray(Self.size)) }
            #expect(error?.description.contains("8840 values in its output Identity_1 instead of 2400") == true)
        }
    }

    @Test func optionsForFacesSearchSlicesOfEverySizeAndReportAnyNumber() throws {
        let model = LocalModel(url: TestData.fixture("models/ultra_light_face.tflite"))
        let options = ObjectDetectorOptions.faces(model)
        // 1,600 pixels: 8 × 8 slices of 240, 2 × 2 of 960, and the whole picture, each with two faces.
        let faces = try ObjectDetector(options: options).objects(in: .gray(PixelSize(width: 1600, height: 1600)))
        #expect(faces.count > 100)
        let widths = Set(faces.map { Int($0.frame.width.rounded()) })
        #expect(widths.isSuperset(of: [96, 384, 640]), "\(widths)")
    }

    @Test func aTrackedFaceHasItsPointsWhereItWasSeen() async throws {
        let detection = ObjectDetectorOptions(model: LocalModel(url: TestData.fixture("models/faces.tflite")))
        let detector = try StreamDetector(
            detection: detection,
            options: StreamDetectorOptions(cadence: .every(2), compensatesCameraMotion: false)
        )
        let image = try VisionImage.gray(Self.size)
        var results: [StreamResult] = []
        for number in 0..<6 { results.append(try await detector.result(in: image, at: .milliseconds(number * 100))) }
        let objects = results.flatMap(\.objects)
        #expect(objects.contains { $0.track?.isDetected == true } && objects.contains { $0.track?.isDetected == false })
        for object in objects { #expect((object.points?.count == 6) == (object.track?.isDetected == true)) }
    }
}
