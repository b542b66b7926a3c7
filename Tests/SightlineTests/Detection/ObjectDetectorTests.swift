import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct ObjectDetectorTests {
    private let size = PixelSize(width: 120, height: 120)

    private func options(_ model: String, classifier: String? = nil) -> ObjectDetectorOptions {
        func local(_ name: String) -> LocalModel { LocalModel(url: TestData.fixture("models/\(name).tflite")) }
        var options = ObjectDetectorOptions(model: local(model), classifier: classifier.map(local))
        options.scoreThreshold = 0.1
        return options
    }

    /// Red where object A is planted, blue where B is.
    private func coloredPicture() throws -> VisionImage {
        var bytes = Data(repeating: 0, count: 120 * 120 * 3)
        for y in 0..<120 {
            for x in 0..<120 {
                let isA = (24..<72).contains(x) && (12..<60).contains(y)
                bytes[(y * 120 + x) * 3 + (isA ? 0 : 2)] = 255
            }
        }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 360)
        return VisionImage(pixels: try PixelBuffer(format: .rgb, width: 120, height: 120, planes: [plane]))
    }

    @Test func aClassifierNamesEachObjectByItsOwnPixels() async throws {
        let detector = try ObjectDetector(options: options("localizer", classifier: "classifier_uint8_metadata"))
        let objects = try await detector.objects(in: coloredPicture())
        #expect(objects.map { $0.labels.first?.text } == ["red", "blue", "blue"])
        #expect(objects.allSatisfy { $0.track == nil })
    }

    @Test func aClassifierMayHaveAnOpenBatch() async throws {
        let detector = try ObjectDetector(options: options("localizer", classifier: "open_classifier"))
        let objects = try await detector.objects(in: coloredPicture())
        #expect(objects.map { $0.labels.first?.index } == [0, 2, 2])
    }

    @Test func aPictureFileHasTheSameObjectsInBothForms() async throws {
        let detector = try ObjectDetector(options: options("ssd_metadata"))
        let file = TestData.fixture("images/jpeg-444.jpg")
        func objects() throws -> [DetectedObject] { try detector.objects(in: file) }
        let found = try await detector.objects(in: file)
        #expect(found.count >= 2)
        #expect(try objects() == found)
        #expect(try await detector.objects(in: VisionImage(contentsOf: file)) == found)
        await #expect(throws: ImageError.self) { try await detector.objects(in: URL(filePath: "/no/such.jpg")) }
    }

    @Test func aClassAgnosticModelAloneGivesNoLabels() async throws {
        let objects = try await ObjectDetector(options: options("localizer")).objects(in: .gray(size))
        #expect(objects.count == 3 && objects.allSatisfy(\.labels.isEmpty))
    }

    @Test func classificationCanBeOff() async throws {
        var off = options("localizer", classifier: "classifier_uint8_metadata")
        off.classifiesObjects = false
        let objects = try await ObjectDetector(options: off).objects(in: .gray(size))
        #expect(objects.count == 3 && objects.allSatisfy(\.labels.isEmpty))
    }

    @Test func labelsKeepThresholdAndMaximum() async throws {
        var strict = options("localizer", classifier: "classifier_float")
        strict.classificationThreshold = 0.9
        let sure = try await ObjectDetector(options: strict).objects(in: coloredPicture())
        #expect(sure.allSatisfy { $0.labels.count == 1 })
        var few = options("localizer", classifier: "classifier_float")
        few.maximumLabelsPerObject = 2
        let two = try await ObjectDetector(options: few).objects(in: coloredPicture())
        #expect(two.allSatisfy { $0.labels.count == 2 })
    }

    @Test(arguments: [(1, 1), (2, 2), (100, 3), (0, 3), (-4, 3)])
    func atMostTheMaximumOfObjectsIsReportedAndAnInvalidOneIsTheDefault(maximum: Int, expected: Int) async throws {
        var limited = options("ssd")
        limited.maximumObjects = maximum
        let objects = try await ObjectDetector(options: limited).objects(in: .gray(size))
        #expect(objects.count == expected)
        #expect(objects.first.map { abs($0.confidence - 0.9) < 0.01 } == true)
    }

    @Test func theMostProminentObjectAloneCanBeAskedFor() async throws {
        var single = options("ssd")
        single.detectsMultipleObjects = false
        // A is as large as B, surer, and nearer to the middle.
        let objects = try await ObjectDetector(options: single).objects(in: .gray(size))
        #expect(objects.count == 1 && objects[0].labels.first?.index == 0)
    }

    @Test func scoreThresholdsFollowTheirPrecedence() async throws {
        var unset = options("ssd_metadata")
        unset.scoreThreshold = nil
        #expect(try await ObjectDetector(options: unset).objects(in: .gray(size)).count == 2)
        unset.scoreThreshold = 7
        #expect(try await ObjectDetector(options: unset).objects(in: .gray(size)).count == 2)
        unset.scoreThreshold = 0.85
        #expect(try await ObjectDetector(options: unset).objects(in: .gray(size)).count == 1)
    }

    @Test func aClassCanHaveAScoreThresholdOfItsOwn() async throws {
        var options = options("ssd_metadata")
        options.scoreThresholds = ["blue": 0.85]
        func labels() async throws -> [String?] {
            try await ObjectDetector(options: options).objects(in: .gray(size)).map { $0.labels.first?.text }
        }
        #expect(try await labels() == ["red", "green"])
        options.scoreThreshold = 0.95
        options.scoreThresholds = ["blue": 0.5, "green": .nan, "unknown": 0]
        #expect(try await labels() == ["blue"])
    }

    @Test func aLabelCanHaveAThresholdOfItsOwn() async throws {
        var options = options("localizer", classifier: "classifier_uint8_metadata")
        options.classificationThresholds = ["blue": 1]
        // A localizer knows no classes, so these thresholds have no effect.
        options.scoreThresholds = ["red": 1]
        let objects = try await ObjectDetector(options: options).objects(in: coloredPicture())
        #expect(objects.map { $0.labels.first?.text } == ["red", nil, nil])
    }

    @Test func labelsCanBeAllowedAndDenied() async throws {
        var allowed = options("ssd_metadata")
        allowed.allowedLabels = ["blue"]
        let blue = try await ObjectDetector(options: allowed).objects(in: .gray(size))
        #expect(blue.map { $0.labels.first?.text } == ["blue"])
        var denied = options("ssd_metadata")
        denied.deniedLabels = ["red"]
        let others = try await ObjectDetector(options: denied).objects(in: .gray(size))
        #expect(others.map { $0.labels.first?.text } == ["blue", "green"])
    }

    @Test func `Names of a classifier are chosen before the number of objects`() async throws {
        var options = options("localizer", classifier: "classifier_uint8_metadata")
        options.allowedLabels = ["blue"]
        options.maximumObjects = 1
        let result = try await ObjectDetector(options: options).result(in: coloredPicture())
        #expect(result.objects.map(\.className) == ["blue"])
        #expect(result.omitted == 1)
        options.detectsMultipleObjects = false
        let prominent = try await ObjectDetector(options: options).objects(in: coloredPicture())
        #expect(prominent.map(\.className) == ["blue"])
    }

    @Test func `Names of a detector are chosen before the number of objects`() async throws {
        var options = options("ssd_metadata")
        options.allowedLabels = ["green"]
        options.maximumObjects = 1
        #expect(try await ObjectDetector(options: options).objects(in: .gray(size)).map(\.className) == ["green"])
    }

    @Test func `Names are chosen before the number of objects in a stream`() async throws {
        var options = options("localizer", classifier: "classifier_uint8_metadata")
        options.allowedLabels = ["blue"]
        options.maximumObjects = 1
        let detector = try StreamDetector(detection: options)
        var found: [DetectedObject] = []
        for index in 0..<12 {
            let frame = VideoFrame(
                image: try coloredPicture(),
                timestamp: .milliseconds(40 * index),
                index: index
            )
            found = try await detector.result(in: frame).objects
            #expect(found.count <= 1 && found.allSatisfy { $0.className == "blue" })
        }
        #expect(found.count == 1)
    }

    @Test func manyTasksShareAFewWorkersAndAllGetTheRightResult() async throws {
        var pooled = options("localizer", classifier: "classifier_float")
        pooled.workers = 3
        let detector = try ObjectDetector(options: pooled)
        let expected = try await detector.objects(in: coloredPicture())
        try await withThrowingTaskGroup(of: [DetectedObject].self) { group in
            let picture = try coloredPicture()
            for _ in 0..<200 { group.addTask { try await detector.objects(in: picture) } }
            for _ in 0..<50 { group.addTask { try detector.objects(in: picture) } }
            for try await objects in group { #expect(objects == expected) }
        }
    }

    @Test func aBatchKeepsThePicturesOrder() async throws {
        var pooled = options("ssd")
        pooled.workers = 2
        let sizes = (1...30).map { PixelSize(width: 10 * $0, height: 100) }
        let batches = try await ObjectDetector(options: pooled).objects(in: sizes.map { try VisionImage.gray($0) })
        for (objects, size) in zip(batches, sizes) {
            #expect(abs((objects.first?.frame.x ?? 0) - 0.2 * Double(size.width)) < 0.5)
        }
    }

    @Test func aCancelledTaskThrows() async throws {
        let detector = try ObjectDetector(options: options("ssd"))
        let picture = try VisionImage.gray(size)
        let task = Task {
            while true { _ = try await detector.objects(in: picture) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func timingsCoverEveryStage() async throws {
        let detector = try ObjectDetector(options: options("localizer", classifier: "classifier_float"))
        let result = try await detector.result(in: .gray(size))
        #expect(result.timings.inference > .zero && result.timings.preprocessing > .zero)
        #expect(result.timings.total >= result.timings.inference)
    }

    @Test(arguments: ["classifier_float", "add", "input_1d", "input_3d"])
    func aModelThatIsNoDetectorIsRefused(model: String) {
        #expect(throws: LocalModelError.self) { try ObjectDetector(options: options(model)) }
    }

    @Test func aPictureOfOnePixelHasObjectsInsideIt() async throws {
        let objects = try await ObjectDetector(options: options("ssd")).objects(
            in: .gray(PixelSize(width: 1, height: 1))
        )
        #expect(objects.count == 3 && objects.allSatisfy { $0.frame.maxX <= 1 && $0.frame.maxY <= 1 })
    }
}
