import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// The answers of ML Kit's image labeler here.
@Suite(.hangLimit)
struct ImageLabelerTests {
    private static func labels(_ options: CommonImageLabelerOptions, _ url: URL = Sample.photo) async throws
        -> [ImageLabel]
    {
        try await ImageLabeler.imageLabeler(options: options).process(Sample.image(url))
    }

    private static func custom(
        _ model: String,
        threshold: NSNumber? = nil,
        count: Int = 10
    ) async throws -> [ImageLabel] {
        let options = CustomImageLabelerOptions(localModel: LocalModel(path: Sample.model(model)))
        options.confidenceThreshold = threshold
        options.maxResultCount = count
        return try await labels(options)
    }

    @Test func theBuiltInLabelerKeepsHalfUnlessToldOtherwise() async throws {
        let options = ImageLabelerOptions()
        options.confidenceThreshold = 0
        let all = try await Self.labels(options)
        #expect(all.count == 10 && all.map(\.confidence) == all.map(\.confidence).sorted(by: >))
        let sure = all.filter { $0.confidence >= 0.5 }.map(\.text)
        #expect(try await Self.labels(ImageLabelerOptions()).map(\.text) == sure)
        for invalid in [-1, 2, Double.nan] {
            options.confidenceThreshold = NSNumber(value: invalid)
            #expect(try await Self.labels(options).map(\.text) == sure)
        }
    }

    @Test func aThresholdKeepsWhatEqualsIt() async throws {
        let best = try #require(try await Self.custom("classifier_uint8_metadata").first)
        let same = try await Self.custom("classifier_uint8_metadata", threshold: NSNumber(value: best.confidence))
        #expect(same.map(\.text) == [best.text])
        #expect(
            try await Self.custom("classifier_uint8_metadata", threshold: NSNumber(value: best.confidence.nextUp)) == []
        )
    }

    @Test func withoutAThresholdThatOfTheModelCountsAndOtherwiseNone() async throws {
        #expect(try await Self.custom("classifier_float_metadata").allSatisfy { $0.confidence >= 0.35 })
        #expect(try await Self.custom("classifier_float").count == 3)
        #expect(try await Self.custom("classifier_float_metadata", threshold: 0).count == 3)
    }

    @Test func anEmptyPathIsNoModelAndNotTheCurrentFolder() async throws {
        let labeler = ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(localModel: LocalModel(path: "")))
        let error = await #expect(throws: NSError.self) { try await labeler.process(Sample.image()) }
        #expect(error?.code == 5)
        #expect(error?.localizedDescription.contains("the path is empty") == true)
    }

    @Test(arguments: [(1, 1), (2, 2), (100, 3), (0, 3), (-1, 3)])
    func countsThatAreNotPositiveMeanTen(count: Int, expected: Int) async throws {
        #expect(try await Self.custom("classifier_float", count: count).count == expected)
    }

    @Test func tenLabelsAtMostUnlessMoreAreAskedFor() async throws {
        #expect(try await Self.custom("classifier_float").count <= 10)
    }

    @Test(
        .enabled(if: TestData.isAvailable, TestData.reason),
        arguments: ["daisy", "dandelion", "roses", "sunflowers", "tulips"]
    )
    func flowersAreNamedByAnAutoMLExport(_ flower: String) async throws {
        let files = [
            "daisy": "daisy.jpeg", "dandelion": "dandelion.jpg", "roses": "roses.jpeg", "sunflowers": "sunflower.jpg",
        ]
        let manifest = TestData.real("models/automl_flowers/manifest.json").path
        let options = CustomImageLabelerOptions(localModel: try #require(LocalModel(manifestPath: manifest)))
        let labels = try await Self.labels(options, TestData.real("images/\(files[flower] ?? "tulips.jpeg")"))
        #expect(labels.first?.text == flower)
        #expect(labels.count <= 10)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func ofManyLabelsTenAreGiven() async throws {
        let model = TestData.real("models/classifiers/mobilenet_v2_1.0_224_quant.tflite").path
        let options = CustomImageLabelerOptions(localModel: LocalModel(path: model))
        options.confidenceThreshold = 0
        #expect(try await Self.labels(options, TestData.real("images/owl.jpg")).count == 10)
        options.maxResultCount = 1000
        #expect(try await Self.labels(options, TestData.real("images/owl.jpg")).count > 10)
    }
}
