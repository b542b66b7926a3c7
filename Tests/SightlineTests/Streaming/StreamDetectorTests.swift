import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// The fixture models find the same objects at the same places in every picture.
@Suite(.hangLimit) struct StreamDetectorTests {
    private let size = PixelSize(width: 320, height: 240)

    /// The options of a detector and of its stream.
    private struct Options {
        var detection: ObjectDetectorOptions
        var stream = StreamDetectorOptions()

        func detector() throws -> StreamDetector { try StreamDetector(detection: detection, options: stream) }
    }

    private func options(_ model: String = "ssd_metadata", classifier: String? = nil) -> Options {
        var detection = ObjectDetectorOptions(model: .fixture(model), classifier: classifier.map { .fixture($0) })
        detection.scoreThreshold = 0.5
        return Options(detection: detection)
    }

    private func results(
        _ options: Options,
        frames: Int,
        image: (Int) throws -> VisionImage
    ) throws -> [StreamResult] {
        let detector = try options.detector()
        return try (0..<frames).map { try detector.result(in: image($0), at: .milliseconds(40 * $0)) }
    }

    /// Red on the left, blue on the right.
    private func colored(_ frame: Int) throws -> VisionImage {
        var bytes = Data(repeating: 0, count: 120 * 120 * 3)
        for pixel in 0..<120 * 120 { bytes[pixel * 3 + (pixel % 120 < 66 ? 0 : 2)] = 255 }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 360)
        return VisionImage(pixels: try PixelBuffer(format: .rgb, width: 120, height: 120, planes: [plane]))
    }

    private func gray(_ frame: Int) throws -> VisionImage { try .gray(size) }

    @Test func objectsGetIdentitiesAndKeepThem() throws {
        let results = try results(options(), frames: 10, image: gray)
        #expect(results[0].objects.isEmpty && results[0].tentative.count == 2)
        #expect(results[2...].allSatisfy { $0.objects.map(\.id) == [1, 2] && $0.tentative.isEmpty })
        #expect(Set(results[9].objects.map { $0.labels.first?.text }) == ["red", "blue"])
        #expect(results[9].objects.first?.track?.age == .milliseconds(360))
        #expect(results.map(\.index) == Array(0..<10))
        #expect(results.allSatisfy { $0.droppedFrames == 0 && $0.size == size && $0.isDetected })
    }

    @Test(arguments: [1, 2]) func tasksThatWaitForADetectorBlockNoThread(workers: Int) async throws {
        var options = options()
        options.detection.workers = workers
        let detector = try options.detector()
        let (isHeld, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            detector.stream.withWorkerBlocking { _ in
                isHeld.signal()
                release.wait()
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isHeld.wait()
                continuation.resume()
            }
        }
        let image = try gray(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            // More than there are threads for tasks.
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount * 2 {
                group.addTask {
                    let frames = AsyncStream<VideoFrame> { continuation in
                        continuation.yield(VideoFrame(image: image, timestamp: .zero, index: 0))
                        continuation.finish()
                    }
                    var count = 0
                    for try await _ in detector.results(in: frames, policy: .all) { count += 1 }
                    return count
                }
            }
            // Runs only if a thread is left for it.
            group.addTask {
                release.signal()
                return 1
            }
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test func detectorAndTrackerAgreeOnThresholds() throws {
        var low = options()
        low.detection.scoreThreshold = 0.85
        let results = try results(low, frames: 5, image: gray)
        // The second object, at 0.8, may be followed but not begun.
        #expect(results[4].objects.count == 1)
    }

    @Test func aClassWithAThresholdOfItsOwnBeginsTracksFromThere() throws {
        var options = options()
        options.detection.scoreThresholds = ["blue": 0.85, "green": 0.3]
        let results = try results(options, frames: 5, image: gray)
        #expect(Set(results[4].objects.map { $0.labels.first?.text }) == ["red", "green"])
    }

    @Test func timesOfStagesIncludeTracking() throws {
        let results = try results(options(), frames: 3) { try Scene().frame(x: Double($0), y: 0) }
        #expect(results[2].timings.tracking > .zero && results[2].timings.inference > .zero)
        #expect(results[2].timings.total >= results[2].timings.inference + results[2].timings.tracking)
    }

    @Test func theDetectorRunsOnEveryThirdFrameAndBoxesAreCarriedOn() throws {
        var third = options()
        third.stream.cadence = .every(3)
        third.stream.tracking.confirmationHits = 1
        let results = try results(third, frames: 9, image: gray)
        #expect(results.map(\.isDetected) == (0..<9).map { $0 % 3 == 0 })
        #expect(results.allSatisfy { $0.objects.map(\.id) == [1, 2] })
        #expect(results[1].objects.allSatisfy { $0.track?.isDetected == false })
        #expect(results[1].timings.inference == .zero)
    }

    @Test func carriedBoxesFollowTheCamera() throws {
        var once = options()
        once.stream.cadence = .every(100)
        once.stream.tracking.confirmationHits = 1
        let scene = Scene()
        // The camera goes 6 pixels to the right and 3 down a frame: what it sees goes the other way.
        let results = try results(once, frames: 8) {
            try scene.frame(x: 20 + 6 * Double($0), y: 20 + 3 * Double($0), size: size)
        }
        let (first, last) = (results[0].objects, results[7].objects)
        #expect(first.count == 2 && last.count == 2)
        for (before, after) in zip(first, last) {
            #expect(abs(after.frame.midX - before.frame.midX + 42) < 3, "\(before.frame) \(after.frame)")
            #expect(abs(after.frame.midY - before.frame.midY + 21) < 3, "\(before.frame) \(after.frame)")
        }
    }

    @Test func withoutCompensationTheyStay() throws {
        var once = options()
        once.stream.cadence = .every(100)
        once.stream.tracking.confirmationHits = 1
        once.stream.compensatesCameraMotion = false
        let scene = Scene()
        let results = try results(once, frames: 8) { try scene.frame(x: 20 + 6 * Double($0), y: 20, size: size) }
        #expect(results[7].objects.first?.frame == results[0].objects.first?.frame)
    }

    @Test(arguments: [1, 3]) func objectsKeepTheirIdentitiesThoughAllColorsChange(every: Int) throws {
        var colors = options("localizer")
        colors.stream.usesAppearance = true
        colors.stream.cadence = .every(every)
        let plain = PixelSize(width: 120, height: 120)
        let results = try results(colors, frames: 18) { try $0 < 9 ? colored($0) : .gray(plain) }
        let before = Set(results[8].objects.compactMap(\.id))
        #expect(before.count >= 2)
        #expect(results[9...].allSatisfy { before.isSuperset(of: $0.objects.compactMap(\.id)) })
    }

    @Test func aNewSizeBeginsAnewWithHigherIdentities() throws {
        let results = try results(options(), frames: 10) { frame in
            try .gray(frame < 5 ? size : PixelSize(width: 160, height: 240))
        }
        #expect(results[4].objects.map(\.id) == [1, 2])
        #expect(results[5].objects.isEmpty)
        #expect(results[9].objects.map(\.id) == [3, 4])
        #expect(results[9].objects.allSatisfy { $0.frame.maxX <= 160 && $0.track?.firstSeen == .milliseconds(200) })
    }

    @Test func aClassifierLooksAtOneObjectAFrameUntilAllAreNamed() throws {
        let results = try results(
            options("localizer", classifier: "classifier_uint8_metadata"),
            frames: 12,
            image: colored
        )
        #expect(results[11].objects.count >= 2)
        #expect(results[11].objects.allSatisfy { !$0.labels.isEmpty })
        let first = try #require(results.first { !$0.objects.isEmpty })
        #expect(first.objects.filter { !$0.labels.isEmpty }.count == 1)
    }

    @Test func aClassifierDecidesWhichObjectsAreWanted() throws {
        var denied = options("localizer", classifier: "classifier_uint8_metadata")
        let all = try results(denied, frames: 12, image: colored)
        let name = try #require(all[11].objects.first?.labels.first?.text)
        denied.detection.deniedLabels = [name]
        #expect(
            try results(denied, frames: 12, image: colored)[11].objects.allSatisfy { $0.labels.first?.text != name }
        )
    }

    @Test func onlyTheMostProminentObjectIsReportedIfAskedFor() throws {
        var single = options()
        single.detection.detectsMultipleObjects = false
        let results = try results(single, frames: 8, image: gray)
        #expect(results[2...].allSatisfy { $0.objects.count == 1 })
        #expect(Set(results.flatMap(\.objects).map(\.id)).count == 1)
    }

    @Test func atMostTheMaximumOfObjectsIsReportedTheOldestFirst() throws {
        var few = options()
        few.stream.maximumObjects = 1
        #expect(try results(few, frames: 8, image: gray)[7].objects.map(\.id) == [1])
    }

    @Test func theDetectorsLimitKeepsTheMostConfidentObjects() throws {
        var few = options()
        few.detection.maximumObjects = 1
        let objects = try results(few, frames: 8, image: gray)[7].objects
        #expect(objects.map { $0.labels.first?.text } == ["red"])
    }

    @Test func anExplicitHighThresholdIsKept() throws {
        var sure = options()
        sure.stream.tracking.highThreshold = 0.85
        let objects = try results(sure, frames: 8, image: gray)[7].objects
        #expect(objects.map { $0.labels.first?.text } == ["red"])
    }

    @Test func theAsynchronousFormGivesTheSameResults() async throws {
        let expected = try results(options(), frames: 4, image: gray).map(\.objects)
        let detector = try options().detector()
        for frame in 0..<4 {
            let result = try await detector.result(in: gray(frame), at: .milliseconds(40 * frame))
            #expect(result.objects == expected[frame])
            #expect(result.index == frame)
        }
        try await detector.reset()
        #expect(try await detector.result(in: gray(0), at: .zero).objects.isEmpty)
    }

    @Test func aPictureThatCannotBeDecodedLeavesTheStreamAsItWas() throws {
        let detector = try options().detector()
        for frame in 0..<5 { _ = try detector.result(in: gray(frame), at: .milliseconds(40 * frame)) }
        var file = try Data(contentsOf: TestData.fixture("images/large-444.jpg"))
        file.removeLast(file.count - 400)
        if let broken = try? VisionImage(data: file), broken.size == size {
            #expect(throws: ImageError.self) { try detector.result(in: broken, at: .milliseconds(200)) }
        }
        #expect(try detector.result(in: gray(6), at: .milliseconds(240)).objects.map(\.id) == [1, 2])
    }

    @Test func framesThatTheCallerLeftOutAreNotDropped() throws {
        let detector = try options().detector()
        let results = try [100, 101, 104].map { index in
            try detector.result(in: VideoFrame(image: gray(0), timestamp: .milliseconds(40 * index), index: index))
        }
        #expect(results.map(\.droppedFrames) == [0, 0, 0])
        #expect(results.map(\.index) == [100, 101, 104])
    }

    @Test(arguments: [Int.max, Int.min]) func extremeIndicesAndTimesDoNotTrap(index: Int) throws {
        let detector = try options().detector()
        for time in [Duration.zero, .seconds(Int64.max / 2), .seconds(-1_000_000), .zero] {
            for other in [0, index, index] {
                _ = try detector.result(in: VideoFrame(image: gray(0), timestamp: time, index: other))
            }
        }
    }

    @Test func manyThreadsAreServedOneAfterTheOther() async throws {
        let detector = try options().detector()
        let image = try VisionImage.gray(size)
        try await withThrowingTaskGroup(of: StreamResult.self) { group in
            for _ in 0..<100 { group.addTask { try detector.result(in: image, at: .seconds(1)) } }
            var indices: Set<Int> = []
            for try await result in group { indices.insert(result.index) }
            #expect(indices == Set(0..<100))
        }
    }
}
