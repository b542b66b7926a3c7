import Foundation
import TestSupport
import Testing

@testable import Sightline

/// Real photos through real models.
@Suite(.enabled(if: TestData.isAvailable, TestData.reason)) struct RealPictureTests {
    private func model(_ path: String, labels: String? = nil) -> LocalModel {
        LocalModel(
            path: TestData.real("models/" + path).path,
            labelsPath: labels.map { TestData.real("models/" + $0).path }
        )
    }

    private func image(_ name: String) throws -> VisionImage {
        try VisionImage(contentsOf: TestData.real("images/" + name))
    }

    @Test(arguments: ["daisy.jpeg", "dandelion.jpg", "roses.jpeg", "sunflower.jpg", "tulips.jpeg"])
    func anAutoMLExportNamesFlowers(file: String) async throws {
        let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model("automl_flowers")))
        let labels = try await labeler.labels(in: image(file))
        print(file, labels)
        let name = try #require(labels.first?.text)
        #expect(file.hasPrefix(name.prefix(5)))
    }

    @Test(arguments: ["coco_ssd/detect.tflite", "coco_ssd/detect_with_metadata.tflite"])
    func cocoSSDFindsCatsAndDogs(path: String) async throws {
        let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model(path)))
        let objects = try await detector.timedObjects(in: image("cats_and_dogs.jpg"))
        for o in objects.value { print(o) }
        print(objects.timings)
    }

    @Test func yoloxFindsThings() async throws {
        let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model("yolox/yolox_nano.tflite")))
        let objects = try await detector.timedObjects(in: image("cats_and_dogs.jpg"))
        for o in objects.value { print("yolox", o) }
        print(objects.timings)
    }

    @Test func twoStages() async throws {
        let detector = try ObjectDetector(
            options: ObjectDetectorOptions(
                model: model("object_localizer/mobile_object_localizer_v1_metadata.tflite"),
                classifier: model("classifiers/object_labeler.tflite")
            )
        )
        let objects = try await detector.timedObjects(in: image("cats_and_dogs.jpg"))
        for o in objects.value { print("two", o.frame, o.confidence, o.labels.prefix(2)) }
        print(objects.timings)
    }
    @Test func inspect() throws {
        for m in [
            "coco_ssd/detect.tflite", "yolox/yolox_nano.tflite",
            "classifiers/mobilenet_v1_0.25_224_float_no_metadata.tflite", "classifiers/object_labeler.tflite",
            "traffic_ssd/traffic_model.tflite", "automl_flowers",
        ] {
            print(try ModelInspection(of: model(m)))
        }
    }
}
