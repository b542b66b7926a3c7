import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct ImageLabelerTests {
    private let size = PixelSize(width: 20, height: 20)

    private func options(_ model: String) -> ImageLabelerOptions {
        ImageLabelerOptions(model: LocalModel(url: TestData.fixture("models/\(model).tflite")))
    }

    private func green() throws -> VisionImage { try .plain(size, red: 0, green: 255, blue: 0) }

    @Test(arguments: [
        "classifier_float", "classifier_uint8", "classifier_int8", "classifier_float16", "classifier_float_metadata",
        "classifier_uint8_metadata", "classifier_int8_metadata", "classifier_float_deflated",
    ])
    func everyTypeOfClassifierSeesGreen(model: String) async throws {
        let labels = try await ImageLabeler(options: options(model)).labels(in: green())
        let best = try #require(labels.first)
        #expect(best.index == 1 && best.confidence > 0.98)
        #expect(best.text == (model.contains("_metadata") || model.contains("deflated") ? "green" : ""))
    }

    @Test(arguments: ["classifier_logits", "classifier_logits_added"], [0, 100, 120, 128, 140, 255] as [UInt8])
    func `Softmax follows from the model and not from the values of a picture`(model: String, red: UInt8) async throws {
        let image = try VisionImage.plain(size, red: red, green: 128, blue: 128)
        let labels = try await ImageLabeler(options: options(model)).labels(in: image)
        let expected = try await ImageLabeler(options: options("classifier_float")).labels(in: image)
        #expect(labels.count == 3)
        for (label, other) in zip(labels, expected) {
            #expect(label.index == other.index && abs(label.confidence - other.confidence) < 1e-4)
        }
    }

    private func confidences(_ labels: [Label]) -> [Int: Float] {
        Dictionary(labels.map { ($0.index, $0.confidence) }) { first, _ in first }
    }

    @Test(arguments: ["classifier_dense_uint8", "classifier_dense_stored", "classifier_hard_sigmoid"])
    func `Integers or operators that hold 0 to 1 alone give confidences without a softmax`(model: String) async throws {
        let gray = try VisionImage.plain(size, red: 128, green: 128, blue: 128)
        let labels = try await ImageLabeler(options: options(model)).labels(in: gray)
        #expect(labels.count == 3 && labels.allSatisfy { abs($0.confidence - 0.5) < 0.02 })
    }

    @Test func `A sidecar states the scale that a dense layer does not show`() async throws {
        try await withTemporaryFolder { folder in
            let model = LocalModel(url: folder.appending(path: "m.tflite"))
            let sidecar = folder.appending(path: "m.sightline.json")
            try FileManager.default.copyItem(at: TestData.fixture("models/classifier_dense.tflite"), to: model.url)
            func found() async throws -> [Int: Float] {
                let image = try VisionImage.plain(size, red: 255, green: 0, blue: 128)
                return confidences(try await ImageLabeler(options: ImageLabelerOptions(model: model)).labels(in: image))
            }
            func isAssumed() throws -> Bool {
                try ModelInspection(of: model).assumptions.contains { $0.contains("\"scoreScale\" in a sidecar") }
            }
            let guessed = try await found()
            #expect(abs(guessed.values.reduce(0, +) - 1) < 1e-4)
            #expect(try isAssumed())
            try Data("{\"scoreScale\": \"logits\"}".utf8).write(to: sidecar)
            #expect(try await found() == guessed)
            #expect(try !isAssumed())
            try Data("{\"scoreScale\": \"probabilities\"}".utf8).write(to: sidecar)
            let stated = try await found()
            // The layer itself gives 1.1, −0.1 and 0.5.
            #expect(stated[0] == 1 && stated[1] == 0 && abs((stated[2] ?? 0) - 0.5) < 0.01)
            #expect(try !isAssumed())
        }
    }

    @Test func `A scale that does not exist is refused with those that do`() throws {
        try withTemporaryFolder { folder in
            let model = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/classifier_dense.tflite"), to: model)
            try Data("{\"scoreScale\": \"percent\"}".utf8).write(to: folder.appending(path: "m.sightline.json"))
            let error = #expect(throws: LocalModelError.self) {
                try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: model)))
            }
            #expect(error?.description.contains("scoreScale") == true)
        }
    }

    @Test func anOpenBatchIsABatchOfOne() async throws {
        let open = try await ImageLabeler(options: options("open_classifier")).labels(in: green())
        #expect(open == (try await ImageLabeler(options: options("classifier_float")).labels(in: green())))
        let model = LocalModel(url: TestData.fixture("models/open_classifier.tflite"))
        #expect(try ModelInspection(of: model).task == .labeling)
    }

    @Test(arguments: [("en", "green"), ("de", "grün"), ("de-AT", "grün"), ("fr", "green"), ("", "green")])
    func labelsComeInTheWantedLanguageWithFallback(locale: String, expected: String) async throws {
        var options = options("classifier_uint8_metadata")
        options.model.locale = locale
        let labels = try await ImageLabeler(options: options).labels(in: green())
        #expect(labels.first?.text == expected)
    }

    @Test func aLabelCanHaveAThresholdOfItsOwn() async throws {
        var options = options("classifier_float_metadata")
        options.confidenceThreshold = 0
        options.confidenceThresholds = ["green": 1, "red": 7]
        let labels = try await ImageLabeler(options: options).labels(in: green())
        #expect(Set(labels.map(\.text)) == ["red", "blue"])
    }

    @Test(arguments: [(nil, 1), (0.0, 3), (7, 1), (.nan, 1)] as [(Float?, Int)])
    func theThresholdIsTheCallersThenTheMetadatas(threshold: Float?, count: Int) async throws {
        var options = options("classifier_float_metadata")
        options.confidenceThreshold = threshold
        #expect(try await ImageLabeler(options: options).labels(in: green()).count == count)
    }

    @Test func aPictureFileHasTheSameLabelsInBothForms() async throws {
        let labeler = try ImageLabeler(options: options("classifier_uint8_metadata"))
        let file = TestData.fixture("images/jpeg-444.jpg")
        func labels() throws -> [Label] { try labeler.labels(in: file) }
        let found = try await labeler.labels(in: file)
        #expect(!found.isEmpty)
        #expect(try labels() == found)
    }

    @Test func withoutMetadataTheThresholdIsZero() async throws {
        #expect(try await ImageLabeler(options: options("classifier_float")).labels(in: green()).count == 3)
    }

    @Test(arguments: [(1, 1), (2, 2), (0, 3), (-1, 3)])
    func atMostTheMaximumOfLabelsIsReported(maximum: Int, count: Int) async throws {
        var options = options("classifier_float")
        options.maximumLabels = maximum
        #expect(try await ImageLabeler(options: options).labels(in: green()).count == count)
    }

    @Test func aBackgroundClassIsNotReported() async throws {
        let labels = try await ImageLabeler(options: options("classifier_background")).labels(in: green())
        #expect(!labels.isEmpty && labels.allSatisfy { $0.index != 0 && $0.text != "???" })
    }

    @Test func cropLooksAtTheMiddleAndStretchAtEverything() async throws {
        // Red at both sides, green in the middle third.
        var bytes = Data()
        for _ in 0..<20 {
            for x in 0..<60 { bytes.append(contentsOf: (20..<40).contains(x) ? [0, 255, 0] : [255, 0, 0]) }
        }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 180)
        let image = VisionImage(pixels: try PixelBuffer(format: .rgb, width: 60, height: 20, planes: [plane]))
        var options = options("classifier_float")
        #expect(try await ImageLabeler(options: options).labels(in: image).first?.index == 1)
        options.fit = .stretch
        #expect(try await ImageLabeler(options: options).labels(in: image).first?.index == 0)
        options.regionOfInterest = PixelRect(x: 22, y: 2, width: 16, height: 16)
        #expect(try await ImageLabeler(options: options).labels(in: image).first?.index == 1)
    }

    @Test func nanIsATypedErrorThatNamesTheOutput() async throws {
        let labeler = try ImageLabeler(options: options("classifier_nan"))
        await #expect(throws: OutputError.self) { try await labeler.labels(in: green()) }
    }

    @Test(arguments: ["classifier_wrong_labels", "input_1d", "input_3d", "ssd", "add", "signatures"])
    func aModelThatIsNoClassifierOfPicturesIsRefused(model: String) {
        #expect(throws: LocalModelError.self) { try ImageLabeler(options: options(model)) }
    }

    @Test func aMissingModelOrLabelFileIsNamed() throws {
        let missing = #expect(throws: LocalModelError.self) {
            try ImageLabeler(
                options: ImageLabelerOptions(model: LocalModel(url: URL(filePath: "/no/such/model.tflite")))
            )
        }
        #expect(missing.map { "\($0)".contains("/no/such/model.tflite") } == true)
        var options = options("classifier_float")
        options.model.labels = URL(filePath: "/no/such/labels.txt")
        let labels = #expect(throws: LocalModelError.self) { try ImageLabeler(options: options) }
        #expect(labels.map { "\($0)".contains("/no/such/labels.txt") } == true)
    }

    @Test func labelsBesideTheModelAreFound() async throws {
        try await withTemporaryFolder { folder in
            let model = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/classifier_float.tflite"), to: model)
            try Data("r\r\ng\r\nb\r\n".utf8).write(to: folder.appending(path: "dict.txt"))
            let found = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: model)))
            #expect(try await found.labels(in: green()).first?.text == "g")
            // A list of another length that merely lies there may belong to another model.
            try Data("r\ng\n".utf8).write(to: folder.appending(path: "dict.txt"))
            let ignored = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: model)))
            #expect(try await ignored.labels(in: green()).first?.text == "")
            // Named by the caller it is an error.
            let named = LocalModel(url: model, labels: folder.appending(path: "dict.txt"))
            #expect(throws: LocalModelError.self) { try ImageLabeler(options: ImageLabelerOptions(model: named)) }
        }
    }
}
