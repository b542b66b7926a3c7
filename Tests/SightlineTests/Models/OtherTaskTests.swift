import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Models for tasks that Sightline does not do are told apart from damaged ones.
@Suite(.hangLimit) struct OtherTaskTests {
    @Test(arguments: [
        ("audio", "an audio model"), ("text", "a text model"), ("pose", "a pose model"),
        ("segmentation", "a segmentation or depth model"), ("style", "gives a picture of 32 × 32 pixels"),
        ("face", "a face detector with six key points"), ("palm", "a palm detector"), ("body", "a pose detector"),
        ("landmarks", "a landmark model"),
        ("embedding", "an embedding model"), ("map", "a segmentation or depth model"),
        ("places", "a segmentation model"), ("skeletons", "a pose model"), ("points", "a landmark model"),
        ("features", "an embedding model"), ("reader", "a text reader"), ("estimate", "it estimates a number"),
        ("spectrogram", "an audio model"),
    ])
    func theTaskOfAModelIsNamed(task: String, name: String) throws {
        let model = LocalModel(url: TestData.fixture("models/task_\(task).tflite"))
        let labeling = #expect(throws: LocalModelError.self) {
            try ImageLabeler(options: ImageLabelerOptions(model: model))
        }
        #expect("\(String(describing: labeling))".contains(name))
        let detection = #expect(throws: LocalModelError.self) {
            try ObjectDetector(options: ObjectDetectorOptions(model: model))
        }
        #expect("\(String(describing: detection))".contains(name))
        let inspection = try ModelInspection(of: model)
        #expect(inspection.task == nil)
        #expect(inspection.problem?.contains(name) == true, "\(inspection.problem ?? "")")
    }

    /// A map of classes is not a YOLO, however many labels lie beside it or are given for it.
    @Test func labelsDoNotMakeAMapADetector() throws {
        try withTemporaryFolder { folder in
            let labels = folder.appending(path: "labels.txt")
            try Data((0..<27).map { "class \($0)\n" }.joined().utf8).write(to: labels)
            let model = LocalModel(url: TestData.fixture("models/task_map.tflite"), labels: labels)
            #expect(try ModelInspection(of: model).task == nil)
        }
    }

    @Test func theOtherPurposeIsNamed() {
        let detector = LocalModel(url: TestData.fixture("models/ssd.tflite"))
        let labeling = #expect(throws: LocalModelError.self) {
            try ImageLabeler(options: ImageLabelerOptions(model: detector))
        }
        #expect("\(String(describing: labeling))".contains("use ObjectDetector"))
        let classifier = LocalModel(url: TestData.fixture("models/classifier_float.tflite"))
        let detection = #expect(throws: LocalModelError.self) {
            try ObjectDetector(options: ObjectDetectorOptions(model: classifier))
        }
        #expect("\(String(describing: detection))".contains("use ImageLabeler"))
    }
}
