import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Every kind of detector finds the objects that Tests/Fixtures/README.md plants, wherever the picture is.
@Suite(.hangLimit) struct DetectorHeadTests {
    /// The planted objects as fractions of the model's input: A, B and D, since A suppresses C.
    private static let planted:
        [(left: Double, top: Double, right: Double, bottom: Double, classIndex: Int, score: Float)] = [
            (0.20, 0.10, 0.60, 0.50, 0, 0.9), (0.55, 0.50, 0.95, 0.90, 2, 0.8), (0.70, 0.05, 0.90, 0.25, 1, 0.4),
        ]
    /// A step of the coarsest quantized fixture, in fractions of the input.
    private static let boxTolerance = 0.006
    private static let scoreTolerance: Float = 0.005

    private func objects(
        _ model: String,
        sidecar: String? = nil,
        labels: String? = nil,
        size: PixelSize = PixelSize(width: 120, height: 120),
        change: (inout ObjectDetectorOptions) -> Void = { _ in }
    ) throws -> [DetectedObject] {
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: "model.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/\(model).tflite"), to: copy)
            if let sidecar { try Data(sidecar.utf8).write(to: folder.appending(path: "model.sightline.json")) }
            if let labels { try Data(labels.utf8).write(to: folder.appending(path: "three.txt")) }
            var options = ObjectDetectorOptions(model: LocalModel(url: copy))
            options.scoreThreshold = 0.1
            change(&options)
            return try ObjectDetector(options: options).objects(in: .gray(size))
        }
    }

    private func expectPlanted(_ objects: [DetectedObject], in picture: PixelRect) {
        #expect(objects.count == Self.planted.count)
        for (object, planted) in zip(objects, Self.planted) {
            let tolerance = Self.boxTolerance * max(picture.width, picture.height)
            let frame = object.frame
            for (found, fraction, start, extent) in [
                (frame.x, planted.left, picture.x, picture.width), (frame.y, planted.top, picture.y, picture.height),
                (frame.maxX, planted.right, picture.x, picture.width),
                (frame.maxY, planted.bottom, picture.y, picture.height),
            ] {
                #expect(abs(found - (start + fraction * extent)) < tolerance)
            }
            #expect(abs(object.objectConfidence - planted.score) < Self.scoreTolerance)
        }
    }

    @Test(arguments: ["ssd", "ssd_float", "ssd_metadata", "ssd_reordered"])
    func ssdPostProcessOutputsAreReadInAnyOrder(model: String) throws {
        let objects = try objects(model)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test func ssdBoxesFollowThePicturesShape() throws {
        let objects = try objects("ssd", size: PixelSize(width: 400, height: 100))
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 400, height: 100))
    }

    @Test(arguments: [
        "yolov5", "yolov8", "yolov8_pixels", "yolov8_int8", "yolox_raw", "yolox_decoded", "yolo_planar", "yolo_rows",
        "yolo_segment", "yolo_pose", "yolo_obb",
    ])
    func yoloOutputsAreReadWithNonMaximumSuppression(model: String) throws {
        let objects = try objects(model)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test(arguments: ["end_to_end", "end_to_end_named", "end_to_end_pixels", "end_to_end_pose"])
    func eachRowOfAnEndToEndModelIsAnObject(model: String) throws {
        let objects = try objects(model)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test(arguments: ["nanodet", "picodet", "picodet_joined", "rtmdet", "rtmdet_uneven"])
    func distancesFromCellsBecomeBoxes(model: String) throws {
        let objects = try objects(model)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    /// Four scores have the shape of RTMDet's distances.
    @Test func scoresThatCouldBeDistancesAreToldByTheNumberOfLabelsOrTheirPlace() throws {
        let labels = "{\"labels\": \"three.txt\"}"
        let objects = try [
            objects("rtmdet_four"), objects("picodet_four", sidecar: labels, labels: "red\ngreen\nblue\ngray"),
        ]
        for objects in objects {
            expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
            #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
        }
        let guessed = try ModelInspection(of: LocalModel(url: TestData.fixture("models/rtmdet_four.tflite")))
        #expect(guessed.assumptions.contains { $0.contains("either output could hold the scores; the first is taken") })
        let certain = try ModelInspection(of: LocalModel(url: TestData.fixture("models/rtmdet.tflite")))
        #expect(!certain.assumptions.contains { $0.contains("either output") })
    }

    private static let anyObject = """
        {"head": "distances", "labels": "three.txt", "objectLabel": "thing", "labelThresholds": {"cat": 0.7, "dog": 0.5, "cup": 0.5},
         "groups": [{"name": "animal", "labels": ["cat", "dog"], "threshold": 0.3}], "input": {"fit": "stretch"}}
        """
    private static let anyObjectLabels = "cat\ndog\ncup\nbowl\nthing\n"

    @Test func aModelOfAnyObjectNamesWhatItIsSureOfAndGroupsTheRest() throws {
        let objects = try objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map(\.className) == ["cat", "animal", "object"])
        #expect(objects.allSatisfy { $0.classIndex == nil })
        #expect(objects.map { $0.labels.first?.index } == [0, 5, nil])
        for (object, confidence) in zip(objects, [Float(0.8), 0.4]) {
            #expect(abs((object.labels.first?.confidence ?? 0) - confidence) < 0.01)
        }
    }

    @Test func `Large objects are named from a lower confidence on, unless the caller gives a threshold`() throws {
        func names(_ share: Float, _ change: (inout ObjectDetectorOptions) -> Void = { _ in }) throws -> [String] {
            let large = ", \"largeObjects\": {\"share\": \(share), \"lowering\": 0.35}}"
            let sidecar = String(Self.anyObject.dropLast()) + large
            return try objects("any_object", sidecar: sidecar, labels: Self.anyObjectLabels, change: change)
                .map(\.className)
        }
        // The objects cover 0.16, 0.16 and 0.04 of the picture.
        #expect(try names(0.2) == ["cat", "animal", "object"])
        #expect(try names(0.1) == ["cat", "cat", "object"])
        #expect(try names(0.01) == ["cat", "cat", "cup"])
        #expect(try names(0.01) { $0.classificationThresholds = ["cat": 0.7] } == ["cat", "animal", "cup"])
        #expect(try names(0.01) { $0.classificationThreshold = 0.7 } == ["cat", "object", "object"])
    }

    @Test func namesChooseTheObjectsOfAModelOfAnyObject() throws {
        func names(_ change: (inout ObjectDetectorOptions) -> Void) throws -> [String] {
            try objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels, change: change)
                .map(\.className)
        }
        #expect(try names { $0.allowedLabels = ["cat"] } == ["cat"])
        #expect(try names { $0.deniedLabels = ["cat"] } == ["animal", "object"])
        #expect(try names { $0.classificationThreshold = 0.15 } == ["cat", "cat", "cup"])
        #expect(try names { $0.classificationThresholds = ["cat": 0.9] } == ["animal", "animal", "object"])
        #expect(try names { $0.classifiesObjects = false } == ["object", "object", "object"])
        #expect(
            try names {
                $0.allowedLabels = ["cat"]
                $0.classifiesObjects = false
            } == ["object"]
        )
    }

    @Test(
        arguments: [
            (["animal"], [], ["cat", "animal"]), (["animal"], ["cat"], ["animal"]), (["cat"], ["animal"], ["cat"]),
            (nil, ["animal"], ["object"]), (["cup", "animal"], [], ["cat", "animal"]),
        ] as [(Set<String>?, Set<String>, [String])]
    )
    func `A group stands for its kinds, and a kind counts more than its group`(
        allowed: Set<String>?,
        denied: Set<String>,
        names: [String]
    ) throws {
        let objects = try objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels) {
            ($0.allowedLabels, $0.deniedLabels) = (allowed, denied)
        }
        #expect(objects.map(\.className) == names)
    }

    @Test func `Allowed names come before the number of objects`() throws {
        func names(_ change: (inout ObjectDetectorOptions) -> Void) throws -> [String] {
            try objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels) {
                $0.maximumObjects = 1
                change(&$0)
            }
            .map(\.className)
        }
        #expect(try names { _ in } == ["cat"])
        #expect(try names { $0.deniedLabels = ["cat"] } == ["animal"])
        #expect(try names { $0.deniedLabels = ["animal"] } == ["object"])
        #expect(
            try names {
                $0.allowedLabels = ["cup"]
                $0.classificationThreshold = 0.15
            } == ["cup"]
        )
        #expect(
            try names {
                $0.deniedLabels = ["cat"]
                $0.detectsMultipleObjects = false
            } == ["animal"]
        )
    }

    @Test(
        arguments: [
            (["cat"], 2), (["animal"], 1), (["cup"], 1), (["dog"], 2), (nil, 0),
        ] as [(Set<String>?, Int)]
    )
    func `Objects that could be of an allowed kind are counted`(allowed: Set<String>?, count: Int) async throws {
        try await withTemporaryFolder { folder in
            let model = folder.appending(path: "model.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/any_object.tflite"), to: model)
            try Data(Self.anyObject.utf8).write(to: folder.appending(path: "model.sightline.json"))
            try Data(Self.anyObjectLabels.utf8).write(to: folder.appending(path: "three.txt"))
            var options = ObjectDetectorOptions(model: LocalModel(url: model))
            options.scoreThreshold = 0.1
            options.allowedLabels = allowed
            let size = PixelSize(width: 120, height: 120)
            let result = try await ObjectDetector(options: options).result(in: .gray(size))
            #expect(result.unnamed == count)
        }
    }

    @Test func `The confidence is that of the name, and the most confident comes first`() throws {
        let objects = try objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels)
        #expect(objects.allSatisfy { $0.confidence == $0.labels.first?.confidence ?? $0.objectConfidence })
        #expect(objects.map(\.confidence) == objects.map(\.confidence).sorted(by: >))
        let classified = try self.objects("any_object", sidecar: Self.anyObject, labels: Self.anyObjectLabels) {
            $0.classificationThreshold = 0.15
        }
        #expect(classified.map(\.confidence) == classified.map(\.confidence).sorted(by: >))
    }

    @Test(arguments: ["ssd_suppressed", "ssd_unnamed", "ssd_exchanged"])
    func `Scores and classes are told apart by numbers, order or values`(model: String) throws {
        let objects = try objects(model)
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
        let inspection = try ModelInspection(of: LocalModel(url: TestData.fixture("models/\(model).tflite")))
        #expect(inspection.assumptions.contains { $0.contains("first") } == (model != "ssd_suppressed"))
        #expect(inspection.head?.contains("TFLite_Detection_PostProcess") == false)
    }

    @Test(arguments: [
        ("\"objectLabel\": \"cat\"", "the last of the model's 5 labels is \"thing\""),
        ("\"labelThresholds\": {\"catt\": 0.5}", "\"catt\" is not one of cat, dog, cup"),
        ("\"groups\": [{\"name\": \"pet\", \"labels\": [\"dogs\"], \"threshold\": 0.5}]", "did you mean \"dog\"?"),
        ("\"groups\": [{\"name\": \"pet\", \"labels\": [\"dog\"]}]", "threshold"),
        ("\"largeObjects\": {\"share\": 0.1}", "lowering"),
        ("\"largeObjects\": {\"share\": 0.1, \"lowering\": 0.1, \"least\": 1}", "the key \"least\" is not known"),
    ])
    func aSidecarWithNamesThatTheModelLacksIsRefused(field: String, sentence: String) throws {
        let others = field.contains("objectLabel") ? "" : ", \"objectLabel\": \"thing\""
        let sidecar = "{\"head\": \"distances\", \"labels\": \"three.txt\"\(others), \(field)}"
        let error = #expect(throws: LocalModelError.self) {
            try objects("any_object", sidecar: sidecar, labels: Self.anyObjectLabels)
        }
        #expect(error?.description.contains(sentence) == true)
    }

    @Test(arguments: ["decoded_corners", "decoded_classes", "decoded_centers"])
    func decodedBoxesShowTheirMeaningInAGrayPicture(model: String) throws {
        // Transformers leave overlapping boxes alone, of which the model has two.
        let objects = try objects(model) { $0.iouThreshold = 0.6 }
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test func boxesOfATransformerMayOverlap() throws {
        #expect(try objects("decoded_centers").map { $0.labels.first?.index } == [0, 2, 0, 1])
        #expect(try objects("decoded_corners").map { $0.labels.first?.index } == [0, 2, 1])
    }

    /// Keras leaves the batch open, at the inputs and at the outputs.
    @Test(arguments: [
        "open_ssd", "open_ssd_mediapipe", "open_yolov8", "open_yolov5", "open_yolox", "open_end_to_end", "open_decoded",
        "open_nanodet",
    ])
    func anOpenBatchIsABatchOfOne(model: String) throws {
        let objects = try objects(model) { if model == "open_decoded" { $0.iouThreshold = 0.6 } }
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test func columnsForThreeBoxesACellHaveAnObjectness() throws {
        let objects = try objects("yolov5_columns")
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 1])
    }

    @Test func aSkeletonOf17PointsIsNotTakenForClasses() throws {
        let objects = try objects("yolo_pose_unnamed")
        #expect(objects.count == 2)
        // A single class without a name is a class of anything.
        #expect(objects.allSatisfy { $0.labels.isEmpty })
    }

    @Test(arguments: [
        ("yolo_numbers", "class scores of 0 to 1"), ("end_to_end_numbers", "are not left, top, right, bottom"),
        ("decoded_background", "seems to stand for the background"),
    ])
    func numbersThatAreNotThoseOfADetectorAreAnError(model: String, sentence: String) throws {
        let error = #expect(throws: LocalModelError.self) { try objects(model) }
        #expect(error.map { "\($0)" }?.contains(sentence) == true, "\(String(describing: error))")
        let inspection = try ModelInspection(of: LocalModel(url: TestData.fixture("models/\(model).tflite")))
        #expect(inspection.task == nil)
    }

    @Test func anSSDOfMediaPipeBringsItsAnchors() throws {
        let objects = try objects("ssd_mediapipe")
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(objects.map { $0.labels.first?.text } == ["red", "blue", "green"])
    }

    @Test func anOnlyClassWithANameIsALabel() throws {
        let objects = try objects("yolo_one_class")
        #expect(objects.map { $0.labels.first?.text } == ["helmet", "helmet"])
    }

    @Test func labelsTellScoresFromObjectness() throws {
        // Eight columns are an objectness and three scores, or four scores.
        let fewer = try objects("yolov5", sidecar: "{\"labels\": \"three.txt\"}", labels: "a\nb\nc")
        #expect(fewer.first?.labels.first?.text == "a")
        let more = try objects("yolov5", sidecar: "{\"labels\": \"three.txt\"}", labels: "w\nx\ny\nz")
        #expect(Set(more.compactMap { $0.labels.first?.text }) == ["x", "y", "z"])
    }

    @Test func yoloBoxesComeOutOfTheirLetterbox() throws {
        // A picture twice as wide as high lies in the middle half of the input's height, for YOLOX in the upper half.
        let centered = try objects("yolov8", size: PixelSize(width: 200, height: 100))
        #expect(abs((centered.first?.frame.x ?? 0) - 40) < 1)
        // The input's 0.1…0.5 of 64 rows minus the 16 rows of filling: −9.6…16 of 32, cut at the picture's edge.
        #expect(centered.first?.frame.y == 0)
        #expect(abs((centered.first?.frame.maxY ?? 0) - 50) < 1)
        let corner = try objects("yolox_raw", size: PixelSize(width: 200, height: 100))
        #expect(abs((corner.first?.frame.maxY ?? 0) - 100) < 1)
    }

    @Test func rawSSDBoxesAreDecodedWithTheSidecarsAnchors() throws {
        let rows = try String(contentsOf: TestData.fixture("models/ssd_raw_anchors.csv"), encoding: .utf8)
            .split(separator: "\n").dropFirst().map { "[\($0)]" }.joined(separator: ",")
        let objects = try objects(
            "ssd_raw",
            sidecar: "{\"anchors\": {\"boxes\": [\(rows)], \"activation\": \"none\"}}"
        )
        expectPlanted(objects, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
    }

    @Test func rawSSDBoxesWithoutFittingAnchorsAreAnErrorThatNamesTheSidecar() {
        let error = #expect(throws: LocalModelError.self) { try objects("ssd_raw") }
        #expect(error.map { "\($0)".contains("sidecar") } == true)
    }

    @Test(arguments: [
        ("[[0.5, 0.5, 0.1]]", "row 1 has 3 numbers"), ("[[0.5, 0.5, 0.1, 0.1], []]", "row 2 has 0 numbers"),
        ("[[0.5, 0.5, 0.1, 0.1, 0.1]]", "row 1 has 5 numbers"), ("[]", "its anchors are 0"),
        ("[[0.5, 0.5, 0.1, \"0.1\"]]", "is not a number"),
    ])
    func anAnchorThatIsNotFourNumbersIsAnError(_ boxes: String, _ sentence: String) throws {
        let error = #expect(throws: LocalModelError.self) {
            try objects("ssd_raw", sidecar: "{\"anchors\": {\"boxes\": \(boxes)}}")
        }
        #expect(error.map { "\($0)" }?.contains(sentence) == true, "\(String(describing: error))")
    }

    @Test func anchorsAreCountedBeforeTheyAreLaidOut() throws {
        let maps = [Int](repeating: 1024, count: 16)
        let error = #expect(throws: LocalModelError.self) {
            try objects("ssd_raw", sidecar: "{\"anchors\": {\"featureMaps\": \(maps), \"reducesFinestMap\": false}}")
        }
        #expect(error.map { "\($0)" }?.contains("its anchors are 100663296") == true)
    }

    @Test(arguments: [
        ("{\"treshold\": 0.2}", "the key \"treshold\" is not known (did you mean \"scoreThreshold\"?)"),
        ("{\"scoreTreshold\": 0.2}", "did you mean \"scoreThreshold\"?"),
        (
            "{\"input\": {\"chanels\": \"bgr\"}}",
            "\"input\": the key \"chanels\" is not known (did you mean \"channels\"?)"
        ),
        ("{\"zzz\": 1}", "the keys are model, head, input"),
        (
            "{\"head\": \"yolo\"}",
            "\"head\": \"yolo\" is not one of proposals, ssd-postprocess, ssd-anchors, face, movenet, decoded-boxes, lists, end-to-end, distances, yolov5, yolov8, yolox"
        ),
        ("{\"head\": \"yolo8\"}", "did you mean \"yolov8\"?"),
        ("{\"input\": {\"fit\": \"leterbox\"}}", "did you mean \"letterbox\"?"),
        ("{\"scoreThreshold\": \"high\"}", "\"scoreThreshold\" is not a number"),
        ("{\"input\": {\"fill\": 300}}", "has a number that its field cannot hold"),
        ("{\"decoded\": 1}", "\"decoded\" is not true or false"), ("{\"labels\": []}", "\"labels\" is not a text"),
        ("not JSON", "it is not valid JSON"),
    ])
    func aMistakeInASidecarIsToldInASentence(_ sidecar: String, _ sentence: String) throws {
        let error = #expect(throws: LocalModelError.self) { try objects("yolov8", sidecar: sidecar) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains(sentence), "\(text)")
        for word in ["Cannot initialize", "Float", "Bool", "UInt8", "Array<", "Dictionary<"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    @Test func aSidecarCanSayWhatIsAssumedOtherwise() throws {
        let fractions = try objects("yolov8", sidecar: "{\"normalizedBoxes\": true, \"input\": {\"fit\": \"stretch\"}}")
        expectPlanted(fractions, in: PixelRect(x: 0, y: 0, width: 120, height: 120))
        #expect(throws: LocalModelError.self) { try objects("yolov8", sidecar: "{\"head\": \"ssd-postprocess\"}") }
        #expect(throws: LocalModelError.self) { try objects("yolov8", sidecar: "{\"head\": \"no such head\"}") }
        #expect(throws: LocalModelError.self) { try objects("yolov8", sidecar: "not JSON") }
    }

    @Test func aRegionOfInterestGivesFramesInTheWholePicture() throws {
        let region = PixelRect(x: 100, y: 50, width: 80, height: 40)
        let objects = try objects("ssd", size: PixelSize(width: 200, height: 100)) { $0.regionOfInterest = region }
        expectPlanted(objects, in: region)
    }

    @Test func aRegionOutsideThePictureIsAnError() {
        #expect(throws: ImageError.self) {
            try objects("ssd") { $0.regionOfInterest = PixelRect(x: 500, y: 0, width: 10, height: 10) }
        }
    }
}
