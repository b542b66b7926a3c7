import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Real photos through real models.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason)) struct RealPictureTests {
    private func model(_ path: String, labels: String? = nil) -> LocalModel {
        LocalModel(
            url: TestData.real("models/" + path),
            labels: labels.map { TestData.real("models/" + $0) }
        )
    }

    private func image(_ name: String) throws -> VisionImage {
        try VisionImage(contentsOf: TestData.real("images/" + name))
    }

    /// Where the animals of cats_and_dogs.jpg are, drawn by hand on the picture.
    private static let cats = [
        PixelRect(x: 82, y: 402, width: 335, height: 196), PixelRect(x: 882, y: 408, width: 200, height: 190),
    ]
    private static let dogs = [
        PixelRect(x: 390, y: 218, width: 250, height: 380), PixelRect(x: 612, y: 155, width: 298, height: 443),
    ]

    @Test(arguments: [
        ("daisy.jpeg", "daisy"), ("dandelion.jpg", "dandelion"), ("roses.jpeg", "roses"),
        ("sunflower.jpg", "sunflowers"), ("tulips.jpeg", "tulips"),
    ])
    func anAutoMLExportNamesFlowers(file: String, flower: String) async throws {
        for fit in [ImageFit.crop, .stretch] {
            var options = ImageLabelerOptions(model: model("automl_flowers"))
            options.fit = fit
            let labels = try await ImageLabeler(options: options).labels(in: image(file))
            #expect(labels.first?.text == flower)
            #expect(labels.map(\.confidence) == labels.map(\.confidence).sorted(by: >))
        }
    }

    @Test(arguments: ["coco_ssd/detect.tflite", "coco_ssd/detect_with_metadata.tflite"])
    func cocoSSDFindsACatWhereItIs(path: String) async throws {
        let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model(path)))
        let objects = try await detector.objects(in: image("cats_and_dogs.jpg"))
        #expect(objects.contains { $0.labels.first?.text == "cat" && $0.frame.iou(Self.cats[0]) > 0.7 })
    }

    @Test func yoloxFindsAllFourAnimalsWhereTheyAre() async throws {
        let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model("yolox/yolox_nano.tflite")))
        let objects = try await detector.objects(in: image("cats_and_dogs.jpg"))
        for animal in Self.cats + Self.dogs {
            #expect(objects.contains { $0.frame.iou(animal) > 0.8 })
        }
        // Class 15 of the 80 of COCO is the cat.
        for cat in Self.cats {
            #expect(objects.contains { $0.labels.first?.index == 15 && $0.frame.iou(cat) > 0.8 })
        }
    }

    @Test func aLocalizerAndAClassifierTogetherNameTheCats() async throws {
        var options = ObjectDetectorOptions(
            model: model("object_localizer/mobile_object_localizer_v1.tflite"),
            classifier: model("classifiers/object_labeler.tflite")
        )
        options.scoreThreshold = 0.2
        let objects = try await ObjectDetector(options: options).objects(in: image("cats_and_dogs.jpg"))
        for cat in Self.cats {
            #expect(objects.contains { $0.labels.first?.text == "Cat" && $0.frame.iou(cat) > 0.5 })
        }
        options.detectsMultipleObjects = false
        let single = try await ObjectDetector(options: options).objects(in: image("cats_and_dogs.jpg"))
        #expect(single.count == 1)
        #expect((Self.cats + Self.dogs).contains { animal in single.contains { $0.frame.iou(animal) > 0.5 } })
    }

    @Test(arguments: ["front", "back", "full_range"])
    func aFaceDetectorFindsAFaceWhereItIs(kind: String) async throws {
        let options = ObjectDetectorOptions(model: model("faces/face_detection_\(kind).tflite"))
        let photo = try VisionImage(contentsOf: TestData.real("detection/images/000000008532.jpg"))
        let objects = try await ObjectDetector(options: options).objects(in: photo)
        // Drawn by hand: from the forehead to the chin.
        let face = PixelRect(x: 336, y: 112, width: 194, height: 196)
        #expect(objects.first?.labels.map(\.text) == ["face"])
        #expect((objects.first?.frame.iou(face) ?? 0) > 0.7)
        let empty = try VisionImage(contentsOf: TestData.real("images/tulips.jpeg"))
        #expect(try await ObjectDetector(options: options).objects(in: empty).isEmpty)
    }

    /// Reference: a separate reading of the raw outputs, with MediaPipe's weighted suppression, of the same pixels decoded by Pillow.
    @Test(arguments: [
        (
            "front", PixelRect(x: 370, y: 150, width: 128, height: 128), [0.7286, 34.411, 38.793, 83.224, 83.221],
            [
                58.321, 60.742, 92.415, 65.133, 69.414, 80.858, 68.027, 98.669, 43.338, 65.126, 113.407, 75.421,
            ]
        ),
        (
            "back", PixelRect(x: 305, y: 82, width: 256, height: 256), [0.6727, 62.537, 35.359, 164.63, 164.657],
            [
                105.481, 92.652, 169.907, 86.347, 136.474, 134.754, 141.905, 162.927, 81.323, 100.232, 210.835, 90.992,
            ]
        ),
    ])
    func aFaceAndItsPointsAreThoseOfTheRawOutputs(
        kind: String,
        part: PixelRect,
        face: [Double],
        points: [Double]
    ) async throws {
        var options = ObjectDetectorOptions(model: model("faces/face_detection_\(kind).tflite"))
        options.regionOfInterest = part
        let photo = try VisionImage(contentsOf: TestData.real("detection/images/000000008532.jpg"))
        let found = try #require(try await ObjectDetector(options: options).objects(in: photo).first)
        let frame = found.frame
        let numbers =
            [Double(found.confidence), frame.x - part.x, frame.y - part.y, frame.width, frame.height]
            + (found.points ?? []).flatMap { [$0.position.x - part.x, $0.position.y - part.y] }
        #expect(numbers.count == 17)
        // Decoders of JPEG differ by a step of a pixel's value here and there.
        for (number, expected) in zip(numbers, face + points) { #expect(abs(number - expected) < 0.3, "\(numbers)") }
    }

    @Test func aModelWithStateRunsOnAStillPicture() async throws {
        let detector = try ObjectDetector(
            options: ObjectDetectorOptions(model: model("traffic_ssd/traffic_model.tflite"))
        )
        _ = try await detector.objects(in: image("cat_1080p.jpg"))
    }

    @Test func everyModelIsDescribedWithItsTask() throws {
        let models = try FileManager.default.subpathsOfDirectory(atPath: TestData.real("models").path)
            .filter { $0.hasSuffix(".tflite") }
        #expect(!models.isEmpty)
        for path in models {
            let inspection = try ModelInspection(of: model(path))
            #expect(inspection.task != nil && inspection.problem == nil, "\(path): \(inspection.problem ?? "")")
        }
    }
}
