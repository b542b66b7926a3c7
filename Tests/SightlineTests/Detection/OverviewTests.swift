import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

/// A detector whose sidecar asks for an overview sees each picture in two sizes; here it is the built-in detector, which leaves its size open.
@Suite(.hangLimit) struct OverviewTests {
    private static let picture = TestData.package.appending(path: "Documentation/Pictures/scene.png")

    /// A copy of the built-in detector with the fields of its own sidecar, but with an input of these sizes.
    private func withDetector<Result>(
        width: Int,
        overview: Int?,
        _ body: (LocalModel) throws -> Result
    ) throws -> Result {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: BuiltInModel.objectDetector.url(), to: file)
            let model = try Model(contentsOf: file)
            var sidecar = try ModelSidecar(lenientJSON: model.associatedFile(named: ModelSidecar.packedName))
            sidecar.input?.width = width
            sidecar.input?.height = width
            sidecar.input?.overview = overview
            try JSONEncoder().encode(sidecar).write(to: folder.appending(path: "m.sightline.json"))
            return try body(LocalModel(url: file))
        }
    }

    private func objects(width: Int, overview: Int? = nil) throws -> [DetectedObject] {
        try withDetector(width: width, overview: overview) { model in
            var options = ObjectDetectorOptions(model: model)
            options.iouThreshold = 1
            options.maximumObjects = 300
            return try ObjectDetector(options: options).objects(in: Self.picture)
        }
    }

    @Test func bothSizesAreSearchedAndNothingElse() throws {
        let both = try objects(width: 320, overview: 192)
        let single = try objects(width: 320) + objects(width: 192)
        #expect(both.count > 10 && both.count == single.count)
        for object in both {
            #expect(single.contains { $0.frame == object.frame && $0.labels == object.labels })
        }
    }

    @Test func boxesOfBothSizesAreSuppressedTogether() throws {
        try withDetector(width: 320, overview: 192) { model in
            var options = ObjectDetectorOptions(model: model)
            options.suppressesAcrossClasses = true
            let objects = try ObjectDetector(options: options).objects(in: Self.picture)
            #expect(objects.count > 3)
            for (number, object) in objects.enumerated() {
                #expect(objects[..<number].allSatisfy { $0.frame.iou(object.frame) <= 0.51 })
            }
        }
    }

    @Test func anInputOfAnotherSizeThanTheFileStatesGivesBoxesAtTheSamePlaces() throws {
        func frames(_ width: Int) throws -> [PixelRect] {
            try withDetector(width: width, overview: nil) { model in
                try ObjectDetector(options: ObjectDetectorOptions(model: model)).objects(in: Self.picture).map(\.frame)
            }
        }
        // 416 pixels are not a whole number of cells of 64 pixels. The network itself finds other things in other sizes.
        let (stated, other) = (try frames(352), try frames(416))
        let same = other.filter { frame in stated.contains { $0.iou(frame) > 0.75 } }
        #expect(same.count > 3, "\(stated) \(other)")
    }

    @Test func theInspectionTellsOfTheOverview() throws {
        try withDetector(width: 320, overview: 160) { model in
            let preparation = try ModelInspection(of: model).preparation
            #expect(preparation.contains("the whole picture once more, as an overview of 160 × 160 pixels"))
        }
    }

    /// Overviews that cannot be, and words of the errors.
    @Test(arguments: [(0, "is 0, but must be"), (320, "less than the width of the input, 320"), (-4, "is -4")])
    func anOverviewIsSmallerThanTheInput(overview: Int, words: String) throws {
        try withDetector(width: 320, overview: overview) { model in
            let error = #expect(throws: LocalModelError.self) { try DetectionModel(model) }
            #expect(error?.description.contains(words) == true)
        }
    }

    @Test func aModelOfAFixedSizeHasNoOverview() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/rtmdet.tflite"), to: file)
            try Data(#"{ "input": { "overview": 32 } }"#.utf8).write(to: folder.appending(path: "m.sightline.json"))
            let error = #expect(throws: LocalModelError.self) { try DetectionModel(LocalModel(url: file)) }
            #expect(error?.description.contains("m.tflite has a fixed size") == true)
        }
    }

    @Test func aClassifierHasNoOverview() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: BuiltInModel.objectDetector.url(), to: file)
            let sidecar = #"{ "scoreOutput": 8, "input": { "width": 224, "height": 224, "overview": 96 } }"#
            try Data(sidecar.utf8).write(to: folder.appending(path: "m.sightline.json"))
            let error = #expect(throws: LocalModelError.self) { try Classifier(LocalModel(url: file)) }
            #expect(error?.description.contains("input.overview is for detectors") == true)
        }
    }
}
