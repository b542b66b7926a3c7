import Foundation
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

/// Real models, rewritten, on real photos.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason)) struct RealOptimizationTests {
    /// The photos of the folder `images`, and every second photo of the folder `detection/images`.
    private static func photos() throws -> [URL] {
        func files(_ folder: String) throws -> [URL] {
            try FileManager.default.contentsOfDirectory(
                at: TestData.real(folder),
                includingPropertiesForKeys: nil
            ).sorted { $0.path < $1.path }
        }
        let many = try files("detection/images").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        return try files("images") + many
    }

    @Test(arguments: [
        ("classifiers/mobilenet_v2_1.0_224_quant.tflite", 0.96), ("classifiers/bird_classifier.tflite", 0.96),
        ("automl_flowers", 0.96),
        // It is often nearly as sure of a second label; another kernel of the runtime changes as many answers.
        ("classifiers/object_labeler.tflite", 0.92),
    ])
    func aRewrittenClassifierNamesPhotosAsBefore(path: String, least: Double) throws {
        let agreement = try agreement(path)
        #expect(agreement.answers > 0)
        // On half of the photos, one answer is already more than 1 %.
        #expect(Double(agreement.same) >= least * Double(agreement.answers))
    }

    @Test(arguments: ["coco_ssd/detect.tflite", "object_localizer/mobile_object_localizer_v1.tflite"])
    func aRewrittenDetectorFindsTheSameObjects(_ path: String) throws {
        let agreement = try agreement(path)
        #expect(agreement.answers > 0)
        #expect(Double(agreement.same) >= 0.9 * Double(agreement.answers))
        #expect(agreement.largestDifference < 0.2)
    }

    @Test func aRewrittenYOLOXFindsExactlyTheSameObjects() throws {
        let agreement = try agreement("yolox/yolox_nano.tflite")
        #expect(agreement.answers > 0 && agreement.same == agreement.answers)
        #expect(agreement.largestDifference < 0.0001)
    }

    private func agreement(_ path: String) throws -> ModelComparison.Agreement {
        let local = LocalModel(url: TestData.real("models/" + path))
        let isFolder = local.url.pathExtension.isEmpty
        let file = isFolder ? local.url.appending(path: "model.tflite") : local.url
        let optimized = try ModelOptimizer().optimized(try Model(contentsOf: file))
        return try #require(try ModelComparison(of: local, with: optimized.model, pictures: Self.photos()).agreement)
    }
}
