import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Models for tasks that Sightline does not do are told apart from damaged ones.
@Suite(.hangLimit) struct OtherTaskTests {
    @Test(arguments: [
        ("audio", "an audio model"), ("text", "a text model"), ("pose", "a pose model"),
        ("segmentation", "a segmentation or depth model"), ("style", "gives a picture of 32 × 32 pixels"),
        ("face", "a detector of faces, hands or bodies"), ("landmarks", "a landmark model"),
        ("embedding", "an embedding model"),
    ])
    func theTaskOfAModelIsNamed(task: String, name: String) throws {
        let model = LocalModel(url: TestData.fixture("models/task_\(task).tflite"))
        let labeling = #expect(throws: LocalModelError.self) {
            try ImageLabeler(options: ImageLabelerOptions(model: model))
        }
        #expect("\(String(describing: labeling))".contains(name))
        let inspection = try ModelInspection(of: model)
        #expect(inspection.task == nil)
        #expect(inspection.problem?.contains(name) == true, "\(inspection.problem ?? "")")
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
