import Foundation
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

/// Streams of drawn scenes whose detector waits for motion.
@Suite(.hangLimit) struct MotionStreamTests {
    private let size = PixelSize(width: 64, height: 48)

    private func detector(workers: Int = 1, every count: Int = 1) throws -> StreamDetector {
        var detection = ObjectDetectorOptions(model: TestModels.blockDetector)
        detection.workers = workers
        return try StreamDetector(
            detection: detection,
            options: StreamDetectorOptions(cadence: .every(count), waitsForMotion: true)
        )
    }

    /// A frame with noise, 25 a second.
    private func frame(_ index: Int, ground: UInt8 = 128, _ blocks: [TestScene.Block]) throws -> VideoFrame {
        let pixels = try TestScene(size: size, ground: ground, blocks: blocks).pixels()
        var random = RepeatableRandom(seed: UInt64(index))
        var bytes = try #require(pixels.planes.first?.data)
        for index in bytes.indices {
            bytes[index] = UInt8(clamping: Int(bytes[index]) + Int(random.next() % 7) - 3)
        }
        let noisy = try PixelBuffer(
            format: .rgb,
            width: size.width,
            height: size.height,
            planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: size.width * 3)]
        )
        return VideoFrame(image: VisionImage(pixels: noisy), timestamp: .milliseconds(40 * index), index: index)
    }

    private func results(
        _ count: Int,
        by detector: StreamDetector,
        ground: UInt8 = 128,
        _ blocks: (Int) -> [TestScene.Block]
    ) throws -> [StreamResult] {
        try (0..<count).map { try detector.result(in: frame($0, ground: ground, blocks($0))) }
    }

    @Test func aStillSceneKeepsItsObjectsWithHardlyADetection() throws {
        let block = TestScene.Block(.red, column: 3, row: 4)
        let results = try results(250, by: detector()) { _ in [block] }
        #expect(results.count(where: \.isDetected) <= 13 + 5)
        #expect(results[2...].allSatisfy { $0.objects.map(\.id) == [1] && $0.objects[0].labels.first?.text == "red" })
        let resting = try #require(results.last { !$0.isDetected }?.objects.first)
        #expect(resting.track?.isDetected == false && resting.track?.isConfirmed == true)
        #expect(resting.frame.iou(TestScene(size: size, blocks: [block]).objects[0].frame) > 0.9)
    }

    @Test func resultsSayWhetherThePictureChanges() throws {
        let results = try results(150, by: detector()) { frame in
            [TestScene.Block(.red, column: min(max((frame - 60) / 3, 0), 8), row: 4, columns: 4, rows: 4)]
        }
        #expect(results[65..<80].allSatisfy { $0.hasMotion == true })
        #expect(results[30..<60].allSatisfy { $0.hasMotion == false })
        #expect(results[110..<150].allSatisfy { $0.hasMotion == false })
    }

    @Test func resultsDoNotSayWhetherThePictureChangesWhereNothingLooksForIt() throws {
        let detector = try StreamDetector(detection: ObjectDetectorOptions(model: TestModels.blockDetector))
        #expect(try results(2, by: detector) { _ in [] }.allSatisfy { $0.hasMotion == nil })
    }

    @Test(arguments: [1, 3]) func anObjectThatStopsKeepsItsIdentity(every: Int) throws {
        // In, ten seconds of standing still, and on.
        let results = try results(310, by: detector(every: every)) { frame in
            let column = frame < 38 ? (frame - 20) / 3 : frame < 288 ? 6 : min(6 + (frame - 288) / 3, 12)
            return frame < 20 ? [] : [TestScene.Block(.red, column: column, row: 4, columns: 4, rows: 4)]
        }
        #expect(Set(results.flatMap(\.objects).map(\.id)) == [1])
        #expect(results[30..<288].allSatisfy { $0.objects.count == 1 })
        #expect(results[65..<288].count(where: \.isDetected) <= 6)
        let last = try #require(results.last?.objects.first)
        #expect(abs(last.frame.x - 48) < 3, "\(last.frame)")
    }

    @Test func anObjectThatGoesUnnoticedIsGoneAfterTheNextLook() throws {
        // Red and this gray are equally bright, so that the small gray copy does not change.
        let results = try results(200, by: detector(), ground: 76) { frame in
            frame < 60 ? [TestScene.Block(.red, column: 3, row: 4)] : []
        }
        #expect(results[59].objects.count == 1)
        #expect(results[111...].allSatisfy { $0.objects.isEmpty })
    }

    @Test func theSameComesOutForAnyNumberOfWorkers() async throws {
        let frames = try (0..<120).map { index in
            let column = index < 40 ? 2 : min(index - 38, 12)
            return try frame(index, [.init(.red, column: column, row: 4), .init(.blue, column: 1, row: 8)])
        }
        var all: [[[DetectedObject]]] = []
        for workers in [1, 3] {
            let stream = AsyncStream { continuation in
                frames.forEach { continuation.yield($0) }
                continuation.finish()
            }
            var objects: [[DetectedObject]] = []
            for try await analyzed in try detector(workers: workers).results(in: stream) {
                objects.append(analyzed.result.objects)
            }
            all.append(objects)
        }
        #expect(all[0].count == 120 && all[0] == all[1])
    }

    @Test func onlyTheRegionOfInterestIsWatched() throws {
        var detection = ObjectDetectorOptions(model: TestModels.blockDetector)
        detection.regionOfInterest = PixelRect(x: 0, y: 0, width: 32, height: 48)
        let detector = try StreamDetector(detection: detection, options: StreamDetectorOptions(waitsForMotion: true))
        let results = try results(100, by: detector) { [.init(.red, column: 9 + $0 % 4, row: 4)] }
        #expect(results[20...].count(where: \.isDetected) <= 2)
    }
}
