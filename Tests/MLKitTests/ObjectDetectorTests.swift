import Foundation
import MLKit
import Sightline
import SightlineTestSupport
import Testing

/// The findings of ML Kit's object detector here.
@Suite(.hangLimit)
struct ObjectDetectorTests {
    private static func options(
        _ options: CommonObjectDetectorOptions,
        mode: ObjectDetectorMode = .singleImage,
        multiple: Bool = true,
        classification: Bool = true
    ) -> CommonObjectDetectorOptions {
        options.detectorMode = mode
        options.shouldEnableMultipleObjects = multiple
        options.shouldEnableClassification = classification
        return options
    }

    private static func detector(_ options: CommonObjectDetectorOptions) -> MLKit.ObjectDetector {
        .objectDetector(options: options)
    }

    // MARK: The built-in models

    @Test func anObjectHasItsCoarseCategoryIfThatIsSure() async throws {
        let detector = Self.detector(Self.options(MLKit.ObjectDetectorOptions()))
        let objects = try await detector.process(Sample.image())
        let labels = objects.flatMap(\.labels)
        #expect(objects.count == 2)
        // The drawn shirt is a fashion good with 77 %.
        #expect(labels.map(\.text) == [DetectedObjectLabel.plant.rawValue])
        #expect(labels.map(\.index) == [DetectedObjectLabelIndex.plant.rawValue])
        #expect(labels.allSatisfy { (0.9...1).contains($0.confidence) })
    }

    @Test func framesAreThoseOfSightline() async throws {
        let expected = try await Sightline.ObjectDetector(
            options: Sightline.ObjectDetectorOptions(model: .builtInLocalizer)
        )
        .objects(in: Sightline.VisionImage(contentsOf: Sample.photo)).map(\.frame)
        let objects = try await Self.detector(Self.options(MLKit.ObjectDetectorOptions())).process(Sample.image())
        #expect(objects.map(\.frame) == expected.map { CGRect(x: $0.x, y: $0.y, width: $0.width, height: $0.height) })
    }

    @Test func withoutClassificationNothingHasALabel() async throws {
        let detector = Self.detector(Self.options(MLKit.ObjectDetectorOptions(), classification: false))
        let objects = try await detector.process(Sample.image())
        #expect(objects.count == 2 && objects.allSatisfy(\.labels.isEmpty))
    }

    @Test func aPictureWithoutObjectsGivesNone() async throws {
        #expect(
            try await Self.detector(Self.options(MLKit.ObjectDetectorOptions())).process(Sample.image(Sample.empty))
                == []
        )
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func eachOfFourAnimalsSideBySideIsAnObject() async throws {
        let detector = Self.detector(Self.options(MLKit.ObjectDetectorOptions()))
        let objects = try await detector.process(Sample.image(TestData.real("images/cats_and_dogs.jpg")))
        // Drawn by hand on the picture: a cat, two dogs, a cat.
        let animals = [
            PixelRect(x: 82, y: 402, width: 335, height: 196), PixelRect(x: 390, y: 218, width: 250, height: 380),
            PixelRect(x: 612, y: 155, width: 298, height: 443), PixelRect(x: 882, y: 408, width: 200, height: 190),
        ]
        let frames = objects.map {
            PixelRect(x: $0.frame.minX, y: $0.frame.minY, width: $0.frame.width, height: $0.frame.height)
        }
        for animal in animals { #expect(frames.contains { $0.iou(animal) > 0.6 }) }
        #expect(frames.count == 4)
    }

    // MARK: How many

    @Test func theMostProminentObjectAloneIsTheDefault() async throws {
        let single = try await Self.detector(Self.options(MLKit.ObjectDetectorOptions(), multiple: false))
            .process(Sample.image())
        #expect(single.count == 1)
        #expect(["Fashion good", "Plant"].contains(single.first?.labels.first?.text))
    }

    @Test func fiveObjectsAtMostUnlessMoreAreAskedFor() async throws {
        let options = Self.options(MLKit.ObjectDetectorOptions(), classification: false)
        #expect(try await Self.detector(options).process(Sample.crowd()).count == 5)
        options.maximumObjectCount = 100
        #expect(try await Self.detector(options).process(Sample.crowd()).count > 5)
        options.maximumObjectCount = 2
        #expect(try await Self.detector(options).process(Sample.crowd()).count == 2)
        options.maximumObjectCount = 0
        #expect(try await Self.detector(options).process(Sample.crowd()).count == 5)
    }

    @Test func fiveObjectsAtMostInAStreamUnlessMoreAreAskedFor() async throws {
        let options = Self.options(MLKit.ObjectDetectorOptions(), mode: .stream, classification: false)
        #expect(try await Self.detector(options).process(Sample.crowd()).count == 5)
        options.maximumObjectCount = 100
        #expect(try await Self.detector(options).process(Sample.crowd()).count > 5)
    }

    @Test func optionsAreCopiedWhenTheDetectorIsMade() async throws {
        let options = Self.options(MLKit.ObjectDetectorOptions())
        let detector = Self.detector(options)
        options.shouldEnableClassification = false
        options.maximumObjectCount = 1
        let objects = try await detector.process(Sample.image())
        #expect(objects.count == 2 && objects.contains { !$0.labels.isEmpty })
    }

    // MARK: Modes

    @Test func inSinglePicturesNothingHasAnIdentity() async throws {
        let detector = Self.detector(Self.options(MLKit.ObjectDetectorOptions()))
        for _ in 0..<2 {
            let objects = try await detector.process(Sample.image())
            #expect(objects.count == 2 && objects.allSatisfy { $0.trackingID == nil })
        }
    }

    @Test func inAStreamObjectsKeepTheirIdentityFromTheFirstPictureOn() async throws {
        let all = try await Self.stream(4).map(\.identities)
        let first = try #require(all.first)
        #expect(first.count == 2 && Set(first).count == 2 && first.allSatisfy { $0 >= 0 })
        #expect(all == Array(repeating: first, count: 4))
    }

    @Test func inAStreamLabelsComeOneAPicture() async throws {
        #expect(try await Self.stream(2).map(\.labeled) == [1, 2])
    }

    /// The findings in the picture when it arrives several times in a moment: identities, and how many objects are labeled.
    private static func stream(_ count: Int) async throws -> [(identities: [Int], labeled: Int)] {
        let classifier = CustomObjectDetectorOptions(localModel: LocalModel(path: Sample.classifier))
        classifier.classificationConfidenceThreshold = 0
        let detector = detector(options(classifier, mode: .stream))
        let (results, continuation) = AsyncStream.makeStream(of: (identities: [Int], labeled: Int).self)
        for _ in 0..<count {
            detector.process(try Sample.image()) { objects, _ in
                let objects = objects ?? []
                continuation.yield(
                    (objects.compactMap(\.trackingID?.intValue), objects.count { !$0.labels.isEmpty })
                )
            }
        }
        return await results.prefix(count).reduce(into: []) { $0.append($1) }
    }

    @Test func anUnknownModeIsAStream() async throws {
        let options = Self.options(MLKit.ObjectDetectorOptions(), mode: ObjectDetectorMode(rawValue: 7))
        #expect(try await Self.detector(options).process(Sample.image()).allSatisfy { $0.trackingID != nil })
    }

    // MARK: A classifier of one's own

    private static func custom(
        _ model: String,
        threshold: NSNumber? = nil,
        count: Int = 10
    ) async throws -> [[ObjectLabel]] {
        let options = CustomObjectDetectorOptions(localModel: LocalModel(path: Sample.model(model)))
        options.classificationConfidenceThreshold = threshold
        options.maxPerObjectLabelCount = count
        return try await detector(Self.options(options)).process(Sample.image()).map(\.labels)
    }

    @Test func aClassifierNamesTheObjects() async throws {
        let labels = try await Self.custom("classifier_uint8_metadata")
        #expect(labels.count == 2)
        #expect(labels.allSatisfy { $0.allSatisfy { ["red", "green", "blue"][$0.index] == $0.text } })
    }

    @Test func withoutAThresholdThatOfTheModelCountsAndOtherwiseNone() async throws {
        #expect(
            try await Self.custom("classifier_float_metadata").allSatisfy { $0.allSatisfy { $0.confidence >= 0.35 } }
        )
        #expect(try await Self.custom("classifier_float").allSatisfy { $0.count == 3 })
    }

    @Test(arguments: [-0.1, 1.1, Double.nan, Double.infinity])
    func anInvalidThresholdCountsAsNotSet(_ threshold: Double) async throws {
        let labels = try await Self.custom("classifier_float_metadata", threshold: NSNumber(value: threshold))
        let unset = try await Self.custom("classifier_float_metadata")
        #expect(labels.map { $0.map(\.text) } == unset.map { $0.map(\.text) })
    }

    @Test func aThresholdKeepsWhatEqualsIt() async throws {
        let confidence = try #require(try await Self.custom("classifier_uint8_metadata").first?.first?.confidence)
        let same = try await Self.custom("classifier_uint8_metadata", threshold: NSNumber(value: confidence))
        #expect(same.first?.first?.confidence == confidence)
        let above = try await Self.custom("classifier_uint8_metadata", threshold: NSNumber(value: confidence.nextUp))
        #expect(above.first?.isEmpty == true)
    }

    @Test func anExplicitThresholdOfZeroBeatsThatOfTheModel() async throws {
        #expect(try await Self.custom("classifier_float_metadata", threshold: 0).allSatisfy { $0.count == 3 })
    }

    @Test(arguments: [(1, 1), (2, 2), (100, 3), (0, 3), (-1, 3)])
    func countsThatAreNotPositiveMeanTen(count: Int, expected: Int) async throws {
        #expect(try await Self.custom("classifier_float", count: count).allSatisfy { $0.count == expected })
    }

    @Test func aModelWithoutMetadataWorksAndItsLabelsHaveNoText() async throws {
        let labels = try await Self.custom("classifier_float")
        #expect(labels.allSatisfy { $0.allSatisfy(\.text.isEmpty) && $0.map(\.index).sorted() == [0, 1, 2] })
    }

    @Test func withoutClassificationTheClassifierIsNotNeeded() async throws {
        let options = CustomObjectDetectorOptions(localModel: LocalModel(path: "/nowhere/model.tflite"))
        let objects = try await Self.detector(Self.options(options, classification: false)).process(Sample.image())
        #expect(objects.count == 2)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func flowersAreNamedByAnAutoMLExport() async throws {
        let manifest = TestData.real("models/automl_flowers/manifest.json").path
        let options = CustomObjectDetectorOptions(localModel: try #require(LocalModel(manifestPath: manifest)))
        let image = try VisionImage(contentsOf: TestData.real("images/daisy.jpeg"))
        let objects = try await Self.detector(Self.options(options)).process(image)
        #expect(objects.first?.labels.first?.text == "daisy")
    }
}
