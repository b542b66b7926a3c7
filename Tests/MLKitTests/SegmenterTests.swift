import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// The masks of ML Kit's segmenter of selfies here. Tests/Fixtures/README.md has the models: they give 0.9 in rows 8–39, columns 16–47, and 0.8
/// in rows 50–59, columns 2–11, of 64, and 0.2 elsewhere.
@Suite(.hangLimit) struct SegmenterTests {
    private static func segmenter(_ model: String = "selfie", isRaw: Bool = false) -> Segmenter {
        let options = SelfieSegmenterOptions()
        options.segmenterMode = .singleImage
        options.shouldEnableRawSizeMask = isRaw
        options.localModel = LocalModel(path: Sample.model(model))
        return .segmenter(options: options)
    }

    private static func picture() throws -> MLKit.VisionImage { try Sample.gray(128, 256) }

    @Test func streamsAndMasksOfThePicturesSizeAreTheDefault() {
        let options = SelfieSegmenterOptions()
        #expect(options.segmenterMode == .stream && !options.shouldEnableRawSizeMask && options.localModel == nil)
    }

    // The output of the second is logits, and its name does not say what it gives.
    @Test(arguments: ["selfie", "foreground_logits"]) func aRawMaskHasThePlacesOfTheModel(model: String) async throws {
        let mask = try await Self.segmenter(model, isRaw: true).process(Self.picture())
        #expect(mask.width == 64 && mask.height == 64 && mask.confidences.count == 64 * 64)
        for (row, column, expected) in [(8, 16, 0.9), (39, 47, 0.9), (50, 2, 0.8), (7, 16, 0.2), (0, 0, 0.2)] {
            #expect(abs(Double(mask.confidences[row * 64 + column]) - expected) < 1e-4)
        }
    }

    @Test func aMaskHasThePicturesSizeAndIsInterpolated() async throws {
        let mask = try await Self.segmenter().process(Self.picture())
        #expect(mask.width == 128 && mask.height == 256 && mask.confidences.count == 128 * 256)
        // A place has 2 columns and 4 rows of pixels. Around the left edge of the first part, the confidence grows.
        let row = mask.confidences[100 * 128..<101 * 128].map { Double($0) }
        let expected = [(0, 0.2), (30, 0.2), (31, 0.375), (32, 0.725), (33, 0.9), (64, 0.9), (127, 0.2)]
        for (column, value) in expected { #expect(abs(row[column] - value) < 1e-4, "column \(column)") }
    }

    @Test func aTurnedPictureHasAMaskOfTheUprightOne() async throws {
        let picture = try Self.picture()
        picture.orientation = .right
        let mask = try await Self.segmenter().process(picture)
        #expect(mask.width == 256 && mask.height == 128)
    }

    @Test func anotherModelIsAnError() async throws {
        let error = await #expect(throws: NSError.self) { try await Self.segmenter("ssd").process(Self.picture()) }
        #expect(error?.code == 3)
        #expect(error?.localizedDescription.contains("one probability for each place of a picture") == true)
    }

    @Test func withoutAModelTheErrorNamesTheResource() async throws {
        let segmenter = Segmenter.segmenter(options: SelfieSegmenterOptions())
        let error = await #expect(throws: NSError.self) { try await segmenter.process(Self.picture()) }
        #expect(error?.code == 5 && error?.localizedDescription.contains("selfie_segmenter.tflite") == true)
    }

    @Test func aMissingModelIsTriedAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "model.tflite")
        let options = SelfieSegmenterOptions()
        options.localModel = LocalModel(path: file.path)
        let segmenter = Segmenter.segmenter(options: options)
        let error = await #expect(throws: NSError.self) { try await segmenter.process(Self.picture()) }
        #expect(error?.code == 5)
        try FileManager.default.copyItem(at: TestData.fixture("models/selfie.tflite"), to: file)
        #expect(try await segmenter.process(Self.picture()).width == 128)
    }

    // MARK: The calls of ML Kit's page "Selfie segmentation with ML Kit on iOS"

    @MainActor @Test func aCallbackGetsTheMaskOnTheMainQueue() async throws {
        let options = SelfieSegmenterOptions()
        options.segmenterMode = .singleImage
        options.shouldEnableRawSizeMask = true
        options.localModel = LocalModel(path: Sample.model("selfie"))
        let (segmenter, image) = (Segmenter.segmenter(options: options), try Self.picture())
        let share = await withCheckedContinuation { (continuation: CheckedContinuation<Double, Never>) in
            segmenter.process(image) { mask, error in
                guard error == nil, let mask = mask else { return continuation.resume(returning: 0) }
                var inside = 0
                for row in 0...(mask.height - 1) {
                    for col in 0...(mask.width - 1) {
                        let foregroundConfidence: Float32 = mask.confidences[row * mask.width + col]
                        if foregroundConfidence > 0.5 { inside += 1 }
                    }
                }
                continuation.resume(returning: Double(inside))
            }
        }
        #expect(share == 32 * 32 + 10 * 10)
    }

    @Test func resultsComeWhileTheCallerWaits() async throws {
        let (segmenter, image) = (Self.segmenter(), try Self.picture())
        #expect(try await Task.detached { try segmenter.results(in: image).width }.value == 128)
    }
}
