import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Descriptions of a model with several outputs, seen with the built-in labeler, whose second output are six classes.
@Suite(.hangLimit) struct ModelSidecarTests {
    /// A folder with the labeler as m.tflite, and sidecars by their names.
    private func withModel(_ sidecars: [String: String], _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: BuiltInModel.imageLabeler.url(),
                to: folder.appending(path: "m.tflite")
            )
            for (name, text) in sidecars { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try body(folder)
        }
    }

    @Test func aSidecarChoosesAmongTheOutputsOfItsModel() throws {
        let classes = """
            { "model": "m.tflite", "scoreOutput": 1, "input": { "width": 96, "height": 64 } }
            """
        try withModel(["classes.sightline.json": classes]) { folder in
            let model = try Classifier(LocalModel(url: folder.appending(path: "m.tflite")))
            #expect(model.head.classCount > 6 && model.head.unused.count == 1)
            let view = try Classifier(
                LocalModel(
                    url: folder.appending(path: "classes.sightline.json"),
                    labels: labels(six: folder)
                )
            )
            #expect(view.head.classCount == 6 && view.names.names.count == 6)
            #expect(view.input.format.size == PixelSize(width: 96, height: 64))
            #expect(view.files.url == model.files.url)
        }
    }

    private func labels(six folder: URL) throws -> URL {
        let file = folder.appending(path: "six.txt")
        try Data("a\nb\nc\nd\ne\nf\n".utf8).write(to: file)
        return file
    }

    @Test func theSidecarBesideAModelStandsForIt() throws {
        try withModel(["m.sightline.json": "{ \"scoreOutput\": 0, \"scoreThreshold\": 0.25 }"]) { folder in
            let inspection = try ModelInspection(of: LocalModel(url: folder.appending(path: "m.sightline.json")))
            #expect(inspection.task == .labeling && inspection.threshold == 0.25)
            #expect(inspection.path == folder.appending(path: "m.tflite").path)
        }
    }

    /// The wrong sidecars, and words of the errors.
    @Test(arguments: [
        ("{}", "choose one with scoreOutput in a sidecar"),
        ("{ \"scoreOutput\": 2 }", "there is no output 2, only 2"),
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

    @Test func aSidecarWithoutItsModelSaysWhichFileIsMissing() throws {
        try withModel(["n.sightline.json": "{}"]) { folder in
            let error = #expect(throws: LocalModelError.self) {
                try Classifier(LocalModel(url: folder.appending(path: "n.sightline.json")))
            }
            #expect(error?.description.contains("n.tflite") == true)
        }
    }
}
