import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Synchronization
import Testing

/// Several streams at once, on files and on servers of this machine.
@Suite(.hangLimit, .blocksThreads)
struct StreamGroupTests {
    /// Collects the updates of a group.
    private final class UpdateLog: Sendable {
        private let state = Mutex<[(name: String, update: StreamGroup.Update)]>([])

        func add(_ name: String, _ update: StreamGroup.Update) { state.withLock { $0.append((name, update)) } }

        func updates(of name: String) -> [StreamGroup.Update] {
            state.withLock { $0.filter { $0.name == name }.map(\.update) }
        }

        func results(of name: String) -> [StreamResult] {
            updates(of: name).compactMap { if case .frame(let analyzed, _) = $0 { analyzed.result } else { nil } }
        }

        /// Waits until the updates of a stream are as a test needs them.
        func wait(for name: String, _ isEnough: ([StreamGroup.Update]) -> Bool) async throws {
            while !isEnough(updates(of: name)) { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    /// A model that finds a red and a blue object in every picture.
    private static let detection = ObjectDetectorOptions(
        model: LocalModel(url: TestData.fixture("models/ssd_metadata.tflite"))
    )

    private func stream(_ name: String, _ input: VideoInput, every interval: Int = 1) -> StreamGroup.Stream {
        StreamGroup.Stream(
            name,
            input: input,
            reading: VideoReaderOptions(timeout: .seconds(30), reconnects: 0),
            detection: Self.detection,
            options: StreamDetectorOptions(cadence: .every(interval))
        )
    }

    private var file: VideoInput { .file(TestData.video("h264-aac.mkv")) }

    /// A camera that sends pictures at each connection: so many, and then it stalls or closes the connection.
    private func camera(pictures count: Int, stalls: Bool) throws -> ScriptedServer {
        let image = VisionImage(pixels: try NumberedFrame.pixels(1))
        let jpeg = try image.upright().encoded(as: .jpeg)
        let head = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
        let part =
            Data("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n".utf8) + jpeg
            + Data("\r\n".utf8)
        return try ScriptedServer { _, connection in
            connection.send(Data(head.utf8))
            for _ in 0..<count {
                connection.send(part)
                Thread.sleep(forTimeInterval: 0.03)
            }
            if stalls { connection.stall() }
        }
    }

    private func input(_ server: ScriptedServer) throws -> VideoInput {
        .stream(try #require(URL(string: server.address)))
    }

    @Test func analyzesAllFramesOfAllFiles() async throws {
        let log = UpdateLog()
        let group = StreamGroup(workers: 2) { log.add($0, $1) }
        try await group.set([stream("a", file), stream("b", file, every: 5)])
        await group.waitForEnd()
        for name in ["a", "b"] {
            #expect(log.results(of: name).map(\.index) == Array(0..<20))
            #expect(Set(log.results(of: name).flatMap { $0.objects.compactMap(\.id) }) == [1, 2])
            guard case .ended(reason: nil) = log.updates(of: name).last else {
                Issue.record("\(name) did not end")
                continue
            }
        }
        #expect(log.results(of: "b").filter(\.isDetected).count == 4)
    }

    @Test func anInputThatIsMissingEndsAlone() async throws {
        let log = UpdateLog()
        let group = StreamGroup { log.add($0, $1) }
        try await group.set([stream("a", file), stream("b", .file(URL(filePath: "/nowhere/video.mp4")))])
        await group.waitForEnd()
        #expect(log.results(of: "a").count == 20)
        guard case .ended(let reason?) = log.updates(of: "b").last else {
            Issue.record("b did not end")
            return
        }
        #expect(reason.contains("/nowhere/video.mp4"))
    }

    @Test func connectsAgainWithTimesAndIdentitiesThatRise() async throws {
        let server = try camera(pictures: 8, stalls: false)
        let log = UpdateLog()
        let group = StreamGroup { log.add($0, $1) }
        try await group.set([stream("door", input(server))])
        try await log.wait(for: "door") { updates in
            updates.count { if case .disconnected = $0 { true } else { false } } == 2
        }
        await group.stop()
        let results = log.results(of: "door")
        #expect(zip(results, results.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        let identities = Set(results.flatMap { $0.objects.compactMap(\.id) })
        #expect(identities.isSuperset(of: [1, 2, 3, 4]))
        guard case .removed = log.updates(of: "door").last else {
            Issue.record("the camera was not removed")
            return
        }
    }

    @Test func aCameraThatHangsDoesNotStopOthers() async throws {
        let server = try camera(pictures: 0, stalls: true)
        let log = UpdateLog()
        let group = StreamGroup { log.add($0, $1) }
        try await group.set([stream("hangs", input(server)), stream("works", file)])
        try await log.wait(for: "works") { if case .ended = $0.last { true } else { false } }
        #expect(log.updates(of: "hangs").isEmpty)
        await group.stop()
    }

    @Test func streamsThatStayTheSameGoOnUndisturbed() async throws {
        let server = try camera(pictures: 100_000, stalls: false)
        let log = UpdateLog()
        let group = StreamGroup { log.add($0, $1) }
        try await group.set([stream("door", input(server))])
        try await log.wait(for: "door") { $0.count > 10 }
        try await group.set([stream("door", input(server)), stream("file", file)])
        try await log.wait(for: "file") { if case .ended = $0.last { true } else { false } }
        try await group.set([stream("door", input(server))])
        let count = log.results(of: "door").count
        try await log.wait(for: "door") { $0.count > count + 10 }
        await group.stop()
        let connections = log.updates(of: "door").count { if case .connected = $0 { true } else { false } }
        #expect(connections == 1)
        #expect(Set(log.results(of: "door").flatMap { $0.objects.compactMap(\.id) }) == [1, 2])
    }

    @Test func aModelThatCannotBeReadLeavesTheGroupAsItWas() async throws {
        let log = UpdateLog()
        let group = StreamGroup { log.add($0, $1) }
        var broken = stream("b", file)
        broken.detection.model = LocalModel(url: URL(filePath: "/nowhere/model.tflite"))
        let streams = [stream("a", file), broken]
        await #expect(throws: LocalModelError.self) { try await group.set(streams) }
        await group.waitForEnd()
        #expect(log.updates(of: "a").isEmpty)
    }
}
