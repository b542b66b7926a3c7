import Firebase
import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

/// Calls that ended the program in Firebase, or called back never or twice.
@Suite(.hangLimit)
struct ErrorTests {
    private static let picture = TestData.fixture("images/large.png")

    /// The error that a labeler of a model on this machine calls back with.
    private func error(manifest: String?, files: [String: URL] = [:]) async throws -> NSError? {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "manifest.json")
            if let manifest { try Data(manifest.utf8).write(to: path) }
            for (name, file) in files {
                try FileManager.default.copyItem(at: file, to: folder.appending(path: name))
            }
            try Data("a\nb\nc\n".utf8).write(to: folder.appending(path: "dict.txt"))
            let options = VisionOnDeviceAutoMLImageLabelerOptions(localModel: AutoMLLocalModel(manifestPath: path.path))
            return try await outcome(of: Vision.vision().onDeviceAutoMLImageLabeler(options: options)).error
        }
    }

    private func outcome(of labeler: VisionImageLabeler) async throws -> (labels: [VisionImageLabel]?, error: NSError?)
    {
        let image = try VisionImage(contentsOf: Self.picture)
        let calls = Counter()
        let outcome: ([VisionImageLabel]?, NSError?) = await withCheckedContinuation { continuation in
            labeler.process(image) { labels, error in
                #expect(isOnMainQueue)
                calls.add()
                continuation.resume(returning: (labels, error as NSError?))
            }
        }
        #expect(calls.count == 1)
        #expect((outcome.0 == nil) != (outcome.1 == nil))
        return outcome
    }

    private static let manifest = #"{"modelFile": "model.tflite", "labelsFile": "dict.txt"}"#

    @Test func aManifestThatIsMissingIsNotFound() async throws {
        let error = try #require(try await error(manifest: nil))
        #expect(error.domain == "com.firebase.ml" && error.code == 5)
        #expect(error.localizedDescription.contains("manifest.json"))
    }

    @Test(arguments: [
        "", "{", "[]", #"{"modelFile": 5}"#, #"{"modelFile": "../model.tflite", "labelsFile": "dict.txt"}"#, manifest,
    ])
    func aManifestThatIsWrongIsAnInvalidArgument(_ manifest: String) async throws {
        let error = try #require(try await error(manifest: manifest))
        #expect(error.domain == "com.firebase.ml" && error.code == 3, "\(error)")
    }

    @Test(arguments: ["input_1d", "input_3d", "ssd", "where", "custom_operator"])
    func aModelThatIsNoClassifierOfPicturesIsAnInvalidArgument(_ name: String) async throws {
        let files = ["model.tflite": TestData.fixture("models/\(name).tflite")]
        let error = try #require(try await error(manifest: Self.manifest, files: files))
        #expect(error.domain == "com.firebase.ml" && error.code == 3, "\(error)")
    }

    @Test func aFileThatIsNoModelIsAnInvalidArgument() async throws {
        let error = try await error(manifest: Self.manifest, files: ["model.tflite": Self.picture])
        #expect(error?.code == 3)
    }

    @Test func aModelThatGivesNaNIsAnInternalError() async throws {
        let files = ["model.tflite": TestData.fixture("models/classifier_nan.tflite")]
        #expect(try await error(manifest: Self.manifest, files: files)?.code == 13)
    }

    @Test func aRemoteModelThatIsNotDownloadedIsAFailedPreconditionUntilItIs() async throws {
        try await DefaultApp.withHub { hub in
            let model = AutoMLRemoteModel(name: "not_yet")
            let file = try Data(contentsOf: TestData.fixture("models/classifier_uint8_metadata.tflite"))
            try await hub.publish("not_yet", file)
            let options = VisionOnDeviceAutoMLImageLabelerOptions(remoteModel: model)
            options.confidenceThreshold = 0
            let labeler = Vision.vision().onDeviceAutoMLImageLabeler(options: options)
            let error = try #require(try await outcome(of: labeler).error)
            #expect(error.domain == "com.firebase.ml" && error.code == 9)
            #expect(error.localizedDescription.contains("not_yet"))

            let ends = DownloadEnds(of: "not_yet")
            ModelManager.modelManager().download(model, conditions: ModelDownloadConditions())
            #expect(await ends.next().error == nil)
            #expect(try await outcome(of: labeler).labels?.count == 3)
        }
    }

    @Test func withoutAnAppARemoteModelIsAFailedPrecondition() async throws {
        try await DefaultApp.with(nil) {
            let model = AutoMLRemoteModel(name: "nobodys")
            let options = VisionOnDeviceAutoMLImageLabelerOptions(remoteModel: model)
            let error = try await outcome(of: Vision.vision().onDeviceAutoMLImageLabeler(options: options)).error
            #expect(error?.code == 9)
            #expect(error?.localizedDescription.contains("FirebaseApp.configure()") == true)
        }
    }

    @Test @MainActor func theMainThreadIsNeverStopped() throws {
        let image = try VisionImage(contentsOf: Self.picture)
        let error = #expect(throws: NSError.self) { try Vision.vision().objectDetector().results(in: image) }
        #expect(error?.domain == "com.firebase.ml" && error?.code == 9)
    }

    @Test func whatIsNoPictureIsAnErrorWhereItIsMade() {
        let missing = #expect(throws: NSError.self) { try VisionImage(contentsOf: URL(filePath: "/nowhere.jpg")) }
        #expect(missing?.domain == "com.firebase.ml" && missing?.code == 5)
        let text = #expect(throws: NSError.self) { try VisionImage(data: Data("text".utf8)) }
        #expect(text?.domain == "com.firebase.ml" && text?.code == 3)
    }

    @Test func aPictureThatIsDamagedIsToldOnceToDetectorsAndLabelers() async throws {
        let data = try Data(contentsOf: TestData.fixture("images/large-444.jpg"))
        let image = try VisionImage(data: data.prefix(700))
        let calls = Counter()
        let error: NSError? = await withCheckedContinuation { continuation in
            Vision.vision().objectDetector().process(image) { objects, error in
                #expect(isOnMainQueue && objects == nil)
                calls.add()
                continuation.resume(returning: error as NSError?)
            }
        }
        #expect(error?.domain == "com.firebase.ml" && error?.code == 3)
        #expect(calls.count == 1)
    }
}
