import Foundation
import Sightline
import SightlineTestSupport
import Synchronization
import Testing

/// A source whose frames come when the test lets them.
private struct Camera: AsyncSequence, Sendable {
    typealias Element = VideoFrame

    struct Lost: Error {}

    final class Switch: Sendable {
        let given = Atomic<Int>(0)
        let isLetGo = Atomic<Bool>(false)
        private let gate = AsyncStream<Int>.makeStream()
        var allowances: AsyncStream<Int> { gate.stream }

        /// Lets so many more frames come.
        func allow(_ count: Int) { for _ in 0..<count { gate.continuation.yield(1) } }
        func end() { gate.continuation.finish() }

        /// Waits until so many frames were taken from the source.
        func waitUntilGiven(_ count: Int) async throws {
            try await wait(while: { given.load(ordering: .sequentiallyConsistent) < count })
        }
    }

    /// Signals when the iterator is no longer held.
    final class Holder: Sendable {
        let control: Switch
        init(_ control: Switch) { self.control = control }
        deinit { control.isLetGo.store(true, ordering: .sequentiallyConsistent) }
    }

    let control: Switch
    let image: VisionImage
    var fails = false

    struct Iterator: AsyncIteratorProtocol {
        let holder: Holder
        let image: VisionImage
        let fails: Bool
        var allowances: AsyncStream<Int>.AsyncIterator
        var index = 0

        mutating func next() async throws -> VideoFrame? {
            guard await allowances.next() != nil else {
                if fails { throw Lost() }
                return nil
            }
            defer { index += 1 }
            holder.control.given.add(1, ordering: .sequentiallyConsistent)
            return VideoFrame(image: image, timestamp: .milliseconds(40 * index), index: index)
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(
            holder: Holder(control),
            image: image,
            fails: fails,
            allowances: control.allowances.makeAsyncIterator()
        )
    }
}

@Suite(.hangLimit) struct FramePolicyTests {
    private func detector(workers: Int = 1, every count: Int = 1) throws -> StreamDetector {
        var detection = ObjectDetectorOptions(model: .fixture("ssd_metadata"))
        detection.workers = workers
        return try StreamDetector(detection: detection, options: StreamDetectorOptions(cadence: .every(count)))
    }

    private func camera(fails: Bool = false) throws -> Camera {
        Camera(control: Camera.Switch(), image: try .gray(PixelSize(width: 64, height: 48)), fails: fails)
    }

    /// The results for a consumer that takes one frame, sleeps while nine more come, and then takes the rest.
    private func resultsOfASlowConsumer(_ policy: FramePolicy) async throws -> [StreamResult] {
        let camera = try camera()
        var iterator = try detector().results(in: camera, policy: policy).makeAsyncIterator()
        camera.control.allow(1)
        var results = [try #require(try await iterator.next()).result]
        camera.control.allow(9)
        if policy != .all { try await camera.control.waitUntilGiven(10) }
        camera.control.end()
        while let analyzed = try await iterator.next() { results.append(analyzed.result) }
        return results
    }

    @Test func theNewestFrameAloneWaits() async throws {
        let results = try await resultsOfASlowConsumer(.newest)
        #expect(results.map(\.index) == [0, 9])
        #expect(results.map(\.droppedFrames) == [0, 8])
    }

    @Test func aBoundedNumberOfFramesWaits() async throws {
        let results = try await resultsOfASlowConsumer(.bounded(3))
        #expect(results.map(\.index) == [0, 7, 8, 9])
        #expect(results.map(\.droppedFrames) == [0, 6, 6, 6])
    }

    @Test(arguments: [0, -3]) func atLeastOneFrameWaits(count: Int) async throws {
        #expect(try await resultsOfASlowConsumer(.bounded(count)).map(\.index) == [0, 9])
    }

    @Test func allFramesAreAnalysed() async throws {
        let results = try await resultsOfASlowConsumer(.all)
        #expect(results.map(\.index) == Array(0..<10))
        #expect(results.last?.droppedFrames == 0)
    }

    @Test func withAllTheSourceWaitsForTheConsumer() async throws {
        let camera = try camera()
        var iterator = try detector().results(in: camera, policy: .all).makeAsyncIterator()
        camera.control.allow(10)
        _ = try await iterator.next()
        _ = try await iterator.next()
        #expect(camera.control.given.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test(arguments: [FramePolicy.newest, .bounded(4), .all])
    func anErrorOfTheSourceIsThrownOnceAndEndsTheSequence(policy: FramePolicy) async throws {
        let camera = try camera(fails: true)
        var iterator = try detector().results(in: camera, policy: policy).makeAsyncIterator()
        camera.control.allow(1)
        _ = try await iterator.next()
        camera.control.end()
        await #expect(throws: Camera.Lost.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: [1, 2, 4], [0, 1, 5]) func framesBeforeAnErrorOfTheSourceAreDelivered(
        workers: Int,
        count: Int
    ) async throws {
        let image = try VisionImage.gray(PixelSize(width: 64, height: 48))
        let (frames, source) = AsyncThrowingStream.makeStream(of: VideoFrame.self)
        for index in 0..<count {
            source.yield(VideoFrame(image: image, timestamp: .milliseconds(40 * index), index: index))
        }
        source.finish(throwing: Camera.Lost())
        var iterator = try detector(workers: workers).results(in: frames, policy: .all).makeAsyncIterator()
        for index in 0..<count { #expect(try await iterator.next()?.result.index == index) }
        await #expect(throws: Camera.Lost.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: [FramePolicy.newest, .bounded(4), .all])
    func aCancelledTaskThrowsAndLetsTheSourceGo(policy: FramePolicy) async throws {
        let camera = try camera()
        let sequence = try detector().results(in: camera, policy: policy)
        camera.control.allow(1)
        let task = Task {
            for try await _ in sequence {}
        }
        try await camera.control.waitUntilGiven(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await wait(while: { !camera.control.isLetGo.load(ordering: .sequentiallyConsistent) })
    }

    @Test(arguments: [FramePolicy.newest, .bounded(4), .all])
    func leavingTheLoopLetsTheSourceGo(policy: FramePolicy) async throws {
        let camera = try camera()
        camera.control.allow(3)
        for try await _ in try detector().results(in: camera, policy: policy) { break }
        try await wait(while: { !camera.control.isLetGo.load(ordering: .sequentiallyConsistent) })
    }

    @Test(arguments: [1, 2, 3], [1, 3]) func severalWorkersGiveTheSameResultsInTheSameOrder(
        workers: Int,
        every count: Int
    ) async throws {
        let scene = Scene()
        let frames = try (0..<20).map { index in
            // The size changes in mid-stream.
            let size = PixelSize(width: index < 10 ? 160 : 120, height: 120)
            return VideoFrame(
                image: try scene.frame(x: Double(3 * index), y: 20, size: size),
                timestamp: .milliseconds(40 * index),
                index: index
            )
        }
        let expected = try {
            let detector = try detector(every: count)
            return try frames.map { try detector.result(in: $0).objects }
        }()
        let stream = AsyncStream { continuation in
            for frame in frames { continuation.yield(frame) }
            continuation.finish()
        }
        var found: [[DetectedObject]] = []
        for try await analyzed in try detector(workers: workers, every: count).results(in: stream, policy: .all) {
            #expect(analyzed.result.index == found.count && analyzed.frame.index == found.count)
            found.append(analyzed.result.objects)
        }
        #expect(found == expected)
    }

    @Test func leavingALoopWithSeveralWorkersLetsTheSourceGo() async throws {
        let camera = try camera()
        camera.control.allow(30)
        for try await _ in try detector(workers: 3).results(in: camera, policy: .all) { break }
        try await wait(while: { !camera.control.isLetGo.load(ordering: .sequentiallyConsistent) })
    }

    @Test func eachLoopBeginsANewStreamWithHigherIdentities() async throws {
        let detector = try detector()
        var identities: [[Int]] = []
        for _ in 0..<2 {
            let camera = try camera()
            camera.control.allow(4)
            camera.control.end()
            var found: [Int] = []
            for try await analyzed in detector.results(in: camera, policy: .all) {
                found = analyzed.result.objects.compactMap(\.id)
            }
            identities.append(found)
        }
        #expect(identities == [[1, 2], [3, 4]])
    }
}
