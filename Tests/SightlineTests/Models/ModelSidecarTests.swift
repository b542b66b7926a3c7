import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Descriptions of a model with several outputs, seen with the built-in detector, whose last two outputs are labels and six classes.
@Suite(.hangLimit) struct ModelSidecarTests {
    /// A folder with the detector as m.tflite, and sidecars by their names.
    private func withModel(_ sidecars: [String: String], _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: BuiltInModel.objectDetector.url(),
                to: folder.appending(path: "m.tflite")
            )
            for (name, text) in sidecars { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try body(folder)
        }
    }

    @Test func aSidecarChoosesAmongTheOutputsOfItsModel() throws {
        let labels = """
            { "model": "m.tflite", "scoreOutput": 8 }
            """
        let classes = """
            { "model": "m.tflite", "scoreOutput": 9, "input": { "width": 96, "height": 64 } }
            """
        try withModel(["labels.sightline.json": labels, "classes.sightline.json": classes]) { folder in
            let first = try Classifier(LocalModel(url: folder.appending(path: "labels.sightline.json")))
            #expect(first.head.classCount > 6 && first.names.names.count == first.head.classCount)
            #expect(first.head.unused.first?.hasPrefix("the outputs ") == true)
            let second = try Classifier(LocalModel(url: folder.appending(path: "classes.sightline.json")))
            #expect(second.head.classCount == 6 && second.names.names.first == "Fashion good")
            #expect(second.input.format.size == PixelSize(width: 96, height: 64))
            #expect(first.files.url == second.files.url)
        }
    }

    @Test func labelsOfTheCallerReplaceThoseOfTheChosenOutput() throws {
        try withModel(["classes.sightline.json": "{ \"model\": \"m.tflite\", \"scoreOutput\": 9 }"]) { folder in
            let description = folder.appending(path: "classes.sightline.json")
            let view = try Classifier(LocalModel(url: description, labels: labels(six: folder)))
            #expect(view.names.names == ["a", "b", "c", "d", "e", "f"])
        }
    }

    private func labels(six folder: URL) throws -> URL {
        let file = folder.appending(path: "six.txt")
        try Data("a\nb\nc\nd\ne\nf\n".utf8).write(to: file)
        return file
    }

    @Test func theSidecarBesideAModelStandsForIt() throws {
        try withModel(["m.sightline.json": "{ \"scoreOutput\": 8, \"scoreThreshold\": 0.25 }"]) { folder in
            let inspection = try ModelInspection(of: LocalModel(url: folder.appending(path: "m.sightline.json")))
            #expect(inspection.task == .labeling && inspection.threshold == 0.25)
            #expect(inspection.path == folder.appending(path: "m.tflite").path)
        }
    }

    /// The wrong sidecars, and words of the errors.
    @Test(arguments: [
        ("{}", "it finds objects instead of naming pictures"),
        ("{ \"scoreOutput\": 10 }", "there is no output 10, only 10"),
        ("{ \"scoreOutput\": -1 }", "there is no output -1"),
        ("{ \"model\": \"other.tflite\" }", "it describes other.tflite, not m.tflite"),
    ])
    func aWrongSidecarIsAnErrorThatSaysWhy(sidecar: String, words: String) throws {
        try withModel(["m.sightline.json": sidecar]) { folder in
            let error = #expect(throws: LocalModelError.self) {
                try Classifier(LocalModel(url: folder.appending(path: "m.tflite")))
            }
            #expect(error?.description.contains(words) == true)
        }
    }

    @Test func aDetectorWhoseSidecarChoosesScoresIsNoDetector() throws {
        try withModel(["m.sightline.json": "{ \"scoreOutput\": 9 }"]) { folder in
            let model = LocalModel(url: folder.appending(path: "m.tflite"))
            let error = #expect(throws: LocalModelError.self) { try DetectionModel(model) }
            #expect(error?.description.contains("scoreOutput 9 in its sidecar makes it a classifier") == true)
            let inspection = try ModelInspection(of: model)
            #expect(inspection.task == .labeling)
        }
    }

    @Test func aSidecarWithoutItsModelSaysWhichFileIsMissing() throws {
        try withModel(["n.sightline.json": "{}"]) { folder in
            let error = #expect(throws: LocalModelError.self) {
                try Classifier(LocalModel(url: folder.appending(path: "n.sightline.json")))
            }
            #expect(error?.description.contains("n.tflite") == true)
        }
    }
}
