import Foundation
import SightlineTestSupport
import Testing

@testable import Firebase

@Suite(.hangLimit)
struct VisionTests {
    private static let picture = TestData.fixture("images/large.png")

    private func detector(
        _ mode: VisionObjectDetectorMode,
        multiple: Bool = false,
        classifies: Bool = false,
        limit: Int? = nil
    ) -> VisionObjectDetector {
        let options = VisionObjectDetectorOptions()
        options.detectorMode = mode
        options.shouldEnableMultipleObjects = multiple
        options.shouldEnableClassification = classifies
        if let limit { options.maximumObjectCount = limit }
        return Vision.vision().objectDetector(options: options)
    }

    @Test func defaultsAreThoseOfFirebase() {
        let options = VisionObjectDetectorOptions()
        #expect(options.detectorMode == .stream)
        #expect(!options.shouldEnableClassification && !options.shouldEnableMultipleObjects)
        #expect(VisionOnDeviceImageLabelerOptions().confidenceThreshold == 0.5)
        let model = AutoMLLocalModel(manifestPath: "manifest.json")
        #expect(VisionOnDeviceAutoMLImageLabelerOptions(localModel: model).confidenceThreshold == 0.5)
        #expect(VisionImageMetadata().orientation == .topLeft)
        #expect(ModelDownloadConditions().allowsCellularAccess)
        #expect(!ModelDownloadConditions().allowsBackgroundDownloading)
        #expect(!Vision.vision().isStatsCollectionEnabled)
        #expect(Vision.vision().onDeviceImageLabeler().type == .onDevice)
    }

    @Test func categoriesAndOrientationsHaveFirebasesNumbers() {
        let categories: [VisionObjectCategory] = [.unknown, .homeGoods, .fashionGoods, .food, .places, .plants]
        #expect(categories.map(\.rawValue) == Array(0...5))
        let orientations: [VisionDetectorImageOrientation] = [
            .topLeft, .topRight, .bottomRight, .bottomLeft, .leftTop, .rightTop, .rightBottom, .leftBottom,
        ]
        #expect(orientations.map(\.rawValue) == Array(1...8))
        #expect(VisionObjectDetectorMode.singleImage.rawValue == 0 && VisionObjectDetectorMode.stream.rawValue == 1)
        #expect(VisionImageLabelerType.onDeviceAutoML.rawValue == 2)
    }

    @Test func aSingleImageHasTheProminentObjectWithIdentityZeroAndNoCategory() async throws {
        let objects = try await detector(.singleImage).process(VisionImage(contentsOf: Self.picture))
        #expect(objects.count == 1)
        let object = try #require(objects.first)
        #expect(object.trackingID == 0 && object.classificationCategory == .unknown && object.confidence == nil)
        #expect(object.frame.width > 0 && object.frame.height > 0)
    }

    @Test func inAStreamAnObjectKeepsAPositiveIdentity() async throws {
        // The pictures arrive together: after a while without one an object would be a new one.
        let detector = detector(.stream)
        let image = try VisionImage(contentsOf: Self.picture)
        let (results, continuation) = AsyncStream.makeStream(of: [Int].self)
        for _ in 0..<3 {
            detector.process(image) { objects, _ in
                continuation.yield((objects ?? []).compactMap { $0.trackingID?.intValue })
            }
        }
        let identities = await results.prefix(3).reduce(into: []) { $0 += $1 }
        #expect(identities.count == 3 && Set(identities).count == 1 && identities.allSatisfy { $0 > 0 })
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func plantsAreFoundAndNamed() async throws {
        let detector = detector(.singleImage, multiple: true, classifies: true)
        let objects = try await detector.process(VisionImage(contentsOf: TestData.real("images/daisy.jpeg")))
        #expect(objects.count > 1)
        let plants = objects.filter { $0.classificationCategory == .plants }
        #expect(!plants.isEmpty && plants.allSatisfy { ($0.confidence?.floatValue ?? 0) > 0.5 })
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func fiveObjectsAreTheMostUnlessMoreAreAskedFor() async throws {
        let image = try VisionImage(contentsOf: TestData.real("images/multi_objects.jpg"))
        #expect(try await detector(.singleImage, multiple: true).process(image).count == 5)
        #expect(try await detector(.singleImage, multiple: true, limit: 50).process(image).count > 5)
        #expect(try await detector(.singleImage, multiple: true, limit: 1).process(image).count == 1)
    }

    /// A picture that is stored on its side, and says so.
    private func turnedPicture(_ orientation: VisionDetectorImageOrientation?) throws -> VisionImage {
        let image = try VisionImage(contentsOf: TestData.fixture("images/exif-6.jpg"))
        if let orientation {
            image.metadata = VisionImageMetadata()
            image.metadata?.orientation = orientation
        }
        return image
    }

    @Test func metadataSayHowAPictureStandsAndWithoutThemTheFileDoes() throws {
        let own = try turnedPicture(nil).picture()
        let stored = try turnedPicture(.topLeft).picture()
        let turned = try turnedPicture(.rightTop).picture()
        #expect(own.size == turned.size && own.orientation == turned.orientation)
        #expect(stored.size == own.size.transposed && stored.orientation == .up)
    }

    @Test func theBuiltInLabelerGivesNamesAndNoEntities() async throws {
        let options = VisionOnDeviceImageLabelerOptions()
        options.confidenceThreshold = 0
        let labels = try await Vision.vision().onDeviceImageLabeler(options: options)
            .process(VisionImage(contentsOf: Self.picture))
        #expect(!labels.isEmpty)
        #expect(labels.allSatisfy { !$0.text.isEmpty && $0.confidence != nil && $0.entityID == nil })
    }
}
