import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// A probability for each place, and the scores of Ultralytics' semantic models. Tests/Fixtures/README.md describes the models.
@Suite(.hangLimit) struct ForegroundHeadTests {
    private func objects(_ model: String, labels: String? = nil, sidecar: String? = nil) throws -> [DetectedObject] {
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: "\(model).tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/\(model).tflite"), to: copy)
            let list = folder.appending(path: "labels.txt")
            if let labels { try Data(labels.utf8).write(to: list) }
            if let sidecar { try Data(sidecar.utf8).write(to: folder.appending(path: "\(model).sightline.json")) }
            let options = ObjectDetectorOptions(model: LocalModel(url: copy, labels: labels == nil ? nil : list))
            return try ObjectDetector(options: options).objects(in: .gray(PixelSize(width: 128, height: 128)))
        }
    }

    private func check(_ found: [DetectedObject], label: String?) throws {
        #expect(
            found.map(\.frame) == [
                PixelRect(x: 32, y: 16, width: 64, height: 64), PixelRect(x: 4, y: 100, width: 20, height: 20),
            ]
        )
        #expect(zip(found, [0.9, 0.8]).allSatisfy { abs($0.objectConfidence - $1) < 1e-4 })
        #expect(found.map { $0.labels.first?.text } == [label, label])
        for object in found {
            let area = try #require(object.mask).area
            // Interpolation rounds the corners off.
            #expect(Double(area) > 0.97 * object.frame.area)
        }
    }

    @Test func aModelForSelfiesFindsThePerson() throws {
        try check(objects("selfie"), label: "person")
    }

    @Test(arguments: ["selfie", "foreground_logits"]) func aLabelMakesAMapTheProbabilityOfItsClass(model: String) throws
    {
        try check(objects(model, labels: "cat\n"), label: "cat")
        try check(objects(model, labels: "background\ncat\n"), label: "cat")
    }

    @Test func theSidecarNamesTheHead() throws {
        #expect(try objects("foreground_logits", sidecar: #"{"head": "foreground"}"#).count == 2)
    }

    @Test func withoutANameTheErrorSaysHowToGiveOne() throws {
        #expect {
            try objects("foreground_logits")
        } throws: {
            "\($0)".contains("if these are the probability of one class, give a list of its label")
        }
    }

    @Test func aMapOfScoresAsksForItsLabels() throws {
        #expect {
            try objects("pixel_scores")
        } throws: {
            "\($0)".contains("if these are scores of 4 classes, give a list of the 4 labels")
        }
        #expect(try !objects("pixel_scores", labels: "background\nred\ngreen\nblue\n").isEmpty)
    }

    @Test func scoresInPlanesAreThoseOfUltralyticsSemanticModels() throws {
        let found = try objects("semantic_scores")
        #expect(Set(found.compactMap { $0.labels.first?.text }) == ["road", "red", "blue"])
        let ring = try #require(found.first { $0.labels.first?.text == "blue" })
        #expect(ring.frame == PixelRect(x: 60, y: 64, width: 56, height: 56))
        #expect(try !#require(ring.mask).contains(x: 88, y: 92))
    }
}
