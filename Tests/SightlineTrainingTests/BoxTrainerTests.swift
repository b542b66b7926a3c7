import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import SightlineTraining
import TensorFlowLite
import Testing

/// Detectors that are made of the built-in detector, a network, and pictures with boxes.
@Suite(.hangLimit)
struct BoxTrainerTests {
    @Test func aModelFindsThingsInPicturesThatItNeverSaw() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(in: folder))
            #expect(trained.labels.filter { $0 != "background" } == ["brick", "pond"])
            #expect(trained.coverage.share > 0.9 && trained.coverage.boxCount == 20)
            let ap50 = try #require(trained.report.summary?.ap50)
            #expect(ap50 > 0.5 && trained.card.ap50Lower <= ap50 && ap50 <= trained.card.ap50Upper)
            let model = LocalModel(url: folder.appending(path: "yard"))
            try trained.write(to: model.url)
            let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model))
            for number in 100..<103 {
                let scene = try BoxedPhotos.scene(number)
                let found = try await detector.objects(in: VisionImage(data: scene.png))
                for (label, frame) in [("brick", scene.brick), ("pond", scene.pond)] {
                    let named = found.filter { $0.labels.first?.text == label }
                    #expect(named.contains { $0.frame.iou(frame) > 0.5 }, "\(label) in \(number): \(found)")
                }
            }
        }
    }

    @Test func oneLabelIsEnough() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(6, labels: ["brick 🧱/red"], in: folder))
            #expect(trained.labels.filter { $0 != "background" } == ["brick 🧱/red"])
        }
    }

    @Test func aPairAloneIsADetectorAndAClassifierOfBoxes() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(
                try BoxedPhotos.write(6, in: folder),
                BoxedPhotos.options(LabeledPhotos.uint8Start)
            )
            let file = folder.appending(path: "alone.tflite")
            try trained.pair.write(to: file)
            let model = LocalModel(url: file)
            let inspection = try ModelInspection(of: model)
            #expect(inspection.task == .detection && inspection.problem == nil)
            #expect(try ObjectDetector(options: ObjectDetectorOptions(model: model)).options.model == model)
            // ML Kit's custom object detection runs it behind a localizer.
            var options = ObjectDetectorOptions(model: .builtInLocalizer, classifier: model)
            options.classificationThreshold = 0
            let scene = try BoxedPhotos.scene(50)
            let found = try await ObjectDetector(options: options).objects(in: VisionImage(data: scene.png))
            #expect(found.allSatisfy { $0.labels.allSatisfy { ["brick", "pond"].contains($0.text) } })
            #expect(throws: LocalModelError.self) { try ImageLabeler(options: ImageLabelerOptions(model: model)) }
        }
    }

    @Test func theSamePicturesGiveTheSameModelWithAndWithoutWhatIsKept() async throws {
        try await withTemporaryFolder { folder in
            let annotations = try BoxedPhotos.write(6, in: folder)
            var options = BoxedPhotos.options()
            options.workers = 1
            let alone = try await BoxedPhotos.trained(annotations, options)
            options.workers = 3
            options.cache = folder.appending(path: "cache")
            let first = try await BoxedPhotos.trained(annotations, options)
            let second = try await BoxedPhotos.trained(annotations, options)
            #expect(alone.pair == first.pair && first.pair == second.pair)
            #expect(alone.single == first.single && first.single == second.single)
            #expect(alone.card.dataSHA256 == second.card.dataSHA256 && alone.card.ap50 == second.card.ap50)
        }
    }

    @Test func boxesAndPicturesThatCannotBeUsedAreLeftOutAndSaid() async throws {
        try await withTemporaryFolder { folder in
            let annotations = try BoxedPhotos.write(
                7,
                more: [(2, 1, [900, 900, 50, 50]), (3, 2, [10, 10, 0, 40])],
                in: folder
            )
            try FileManager.default.removeItem(at: folder.appending(path: "images/5.png"))
            try Data("no picture".utf8).write(to: folder.appending(path: "images/6.png"))
            let trained = try await BoxedPhotos.trained(annotations)
            #expect(trained.card.pictureCount == 5 && trained.card.skippedCount == 2)
            #expect(trained.card.warnings.contains { $0.contains("2 boxes lie outside") && $0.contains("2.png") })
        }
    }

    @Test func whatCannotBeLearnedFromIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let empty = try BoxedPhotos.write(2, labels: [], in: folder.appending(path: "empty"))
            await #expect(throws: (any Error).self) { _ = try await BoxedPhotos.trained(empty) }
            let lost = try BoxedPhotos.write(
                3,
                labels: ["brick", "pond", "moon"],
                more: [(1, 3, [900, 900, 50, 50])],
                in: folder.appending(path: "lost")
            )
            await #expect(
                throws: TrainingError.noUsableBox(label: "moon", reason: "its boxes lie outside of their pictures.")
            ) {
                _ = try await BoxedPhotos.trained(lost)
            }
            let broken = try BoxedPhotos.write(2, labels: ["brick\nred"], in: folder.appending(path: "broken"))
            await #expect(throws: TrainingError.invalidLabel("brick\nred")) {
                _ = try await BoxedPhotos.trained(broken)
            }
        }
    }

    @Test func aSidecarWithAnotherPairIsRefused() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: TestData.fixture("models/classifier_float_metadata.tflite"),
                to: folder.appending(path: "pair.tflite")
            )
            let model = LocalModel(url: folder.appending(path: "pair.tflite"))
            for (text, message) in [
                (#"{"maximum": 100000}"#, "expected 1 to 300"), (#"{"exponent": -1}"#, "expected 0.0 to 4.0"),
                (#"{"treshold": 0.1}"#, "threshold"),
            ] {
                try Data(#"{"proposals": \#(text)}"#.utf8).write(to: folder.appending(path: "pair.sightline.json"))
                let error = #expect(throws: LocalModelError.self) {
                    try ObjectDetector(options: ObjectDetectorOptions(model: model))
                }
                #expect(error?.description.contains(message) ?? false, "\(String(describing: error))")
            }
        }
    }
}
