import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// Calls that ended the program in ML Kit, and other failures, are errors.
@Suite(.hangLimit)
struct ErrorTests {
    private static func custom(_ localModel: LocalModel) -> ObjectDetector {
        let options = CustomObjectDetectorOptions(localModel: localModel)
        options.shouldEnableClassification = true
        options.detectorMode = .singleImage
        return ObjectDetector.objectDetector(options: options)
    }

    private static func labeler(_ localModel: LocalModel) -> ImageLabeler {
        ImageLabeler.imageLabeler(options: CustomImageLabelerOptions(localModel: localModel))
    }

    /// The same error must come from detectors and labelers, by callback, asynchronously and synchronously.
    private static func expect(_ code: Int, _ words: String..., of model: LocalModel) async throws {
        let (detector, labeler) = (custom(model), labeler(model))
        let image = try Sample.image()
        let errors: [NSError?] = [
            await withCheckedContinuation { continuation in
                detector.process(image) { continuation.resume(returning: $0 == nil ? $1 as NSError? : nil) }
            },
            await withCheckedContinuation { continuation in
                labeler.process(image) { continuation.resume(returning: $0 == nil ? $1 as NSError? : nil) }
            },
            await #expect(throws: NSError.self) { try await detector.process(Sample.image()) },
            await #expect(throws: NSError.self) { try await labeler.process(Sample.image()) },
            #expect(throws: NSError.self) { try detector.results(in: image) },
            #expect(throws: NSError.self) { try labeler.results(in: image) },
        ]
        for error in errors {
            let error = try #require(error)
            #expect(error.domain == "com.google.mlkit" && error.code == code)
            for word in words { #expect(error.localizedDescription.contains(word)) }
            #expect(error.localizedDescription.count { $0 == "\n" } == 0)
            #expect(error.userInfo[NSUnderlyingErrorKey] is any Error)
        }
    }

    // MARK: Models

    @Test func aMissingLocalModel() async throws {
        try await Self.expect(5, "/nowhere/model.tflite", of: LocalModel(path: "/nowhere/model.tflite"))
    }

    @Test func noPathAtAll() async throws {
        try await Self.expect(5, "check the path", of: LocalModel(path: ""))
    }

    @Test(arguments: ["input_1d", "input_3d", "ssd", "add"])
    func aModelOfAnotherRankOrTask(_ name: String) async throws {
        try await Self.expect(3, "\(name).tflite", of: LocalModel(path: Sample.model(name)))
    }

    @Test func aFileThatIsNoModel() async throws {
        try await Self.expect(3, "flower-and-shirt.png", of: LocalModel(path: Sample.photo.path))
    }

    @Test(arguments: ["while", "custom_operator"])
    func aModelThatCannotRun(_ name: String) async throws {
        try await Self.expect(3, "\(name).tflite", of: LocalModel(path: Sample.model(name)))
    }

    @Test func aModelThatGivesNaN() async throws {
        try await Self.expect(13, "NaN", of: LocalModel(path: Sample.model("classifier_nan")))
    }

    @Test func labelsOfAnotherNumberThanTheModelsClasses() async throws {
        try await Self.expect(3, "2 labels", of: LocalModel(path: Sample.model("classifier_wrong_labels")))
    }

    @Test func aModelThatIsRepairedWorksWithTheSameDetector() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "model.tflite")
            let detector = Self.custom(LocalModel(path: file.path))
            await #expect(throws: NSError.self) { try await detector.process(Sample.image()) }
            try FileManager.default.copyItem(atPath: Sample.classifier, toPath: file.path)
            #expect(try await detector.process(Sample.image()).first?.labels.isEmpty == false)
        }
    }

    // MARK: Manifests

    private static func withManifest(_ text: String, _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                atPath: Sample.model("classifier_uint8"),
                toPath: folder.path + "/model.tflite"
            )
            try Data("rot\ngrün\nblau\n".utf8).write(to: folder.appending(path: "dict.txt"))
            let manifest = folder.appending(path: "manifest.json")
            try Data(text.utf8).write(to: manifest)
            try await body(manifest)
        }
    }

    @Test(arguments: ["", ","])
    func aManifestWithOrWithoutATrailingComma(_ comma: String) async throws {
        let text = #"{"modelType": "IMAGE_LABELING", "modelFile": "model.tflite", "labelsFile": "dict.txt"\#(comma)}"#
        try await Self.withManifest(text) { manifest in
            let model = try #require(LocalModel(manifestPath: manifest.path))
            #expect(model.manifestPath == manifest.path)
            #expect(URL(filePath: model.path).lastPathComponent == "model.tflite")
            let labels = try await Self.labeler(model).process(Sample.image())
            #expect(Set(labels.map(\.text)) == ["rot", "grün", "blau"])
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "{", #"{"modelFile": "model.tflite"}"#, #"{"modelFile": 1, "labelsFile": "dict.txt"}"#,
        #"{"modelFile": "other.tflite", "labelsFile": "dict.txt"}"#,
        #"{"modelFile": "../model.tflite", "labelsFile": "dict.txt"}"#,
    ])
    func aWrongManifestGivesNoModel(_ text: String) async throws {
        try await Self.withManifest(text) { #expect(LocalModel(manifestPath: $0.path) == nil) }
    }

    @Test func aMissingManifestGivesNoModel() {
        #expect(LocalModel(manifestPath: "/nowhere/manifest.json") == nil)
    }

    @Test func aManifestThatIsDamagedLaterIsAnErrorOfTheCall() async throws {
        try await Self.withManifest(#"{"modelFile": "model.tflite", "labelsFile": "dict.txt"}"#) { manifest in
            let model = try #require(LocalModel(manifestPath: manifest.path))
            try Data("{".utf8).write(to: manifest)
            try await Self.expect(3, "manifest.json", of: model)
        }
    }

    // MARK: Calls

    @MainActor @Test func aSynchronousCallOnTheMainThread() throws {
        let model = LocalModel(path: Sample.classifier)
        let image = try Sample.image()
        let errors = [
            #expect(throws: NSError.self) { try Self.custom(model).results(in: image) },
            #expect(throws: NSError.self) { try Self.labeler(model).results(in: image) },
        ]
        for error in errors {
            #expect(error?.domain == "com.google.mlkit" && error?.code == 9)
            #expect(error?.localizedDescription.contains("main thread") == true)
        }
    }

    // MARK: Pictures

    @Test(arguments: [
        ("/nowhere/photo.jpg", 5), (Sample.classifier, 3), (TestData.fixture("images/enormous.png").path, 8),
    ])
    func aPictureThatCannotBeRead(path: String, code: Int) throws {
        let error = #expect(throws: NSError.self) { try VisionImage(contentsOf: URL(filePath: path)) }
        #expect(error?.domain == "com.google.mlkit" && error?.code == code)
    }

    @Test func bytesThatAreNoPicture() throws {
        for bytes in [Data(), Data("GIF89a".utf8)] {
            let error = #expect(throws: NSError.self) { try VisionImage(data: bytes) }
            #expect(error?.domain == "com.google.mlkit" && error?.code == 3)
            #expect(MLImage(data: bytes) == nil)
        }
        #expect(MLImage(contentsOf: URL(filePath: "/nowhere/photo.jpg")) == nil)
    }

    @Test func aPictureThatIsCutShort() async throws {
        let bytes = try Data(contentsOf: TestData.fixture("images/large.png"))
        let image = try VisionImage(data: bytes.prefix(2500))
        let error = #expect(throws: NSError.self) {
            try Self.labeler(LocalModel(path: Sample.classifier)).results(in: image)
        }
        #expect(error?.code == 3)
    }

    @Test func aPictureOfAnUnknownClass() async throws {
        final class Painting: MLKitCompatibleImage {}
        let error = await #expect(throws: NSError.self) {
            try await Self.labeler(LocalModel(path: Sample.classifier)).process(Painting())
        }
        #expect(error?.domain == "com.google.mlkit" && error?.code == 3)
        #expect(error?.localizedDescription.contains("Painting") == true)
    }
}
