import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Reading streams, here over HTTP on this machine: servers that stall, vanish and come back.
@Suite(.hangLimit, .blocksThreads)
struct StreamReadingTests {
    private static let options = VideoReaderOptions(timeout: .seconds(30), reconnects: 3)

    /// Motion JPEG as cameras send it.
    private static func part(_ number: Int) throws -> Data {
        let image = VisionImage(pixels: try NumberedFrame.pixels(number))
        let jpeg = try image.upright().encoded(as: .jpeg)
        return Data("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n".utf8) + jpeg
            + Data("\r\n".utf8)
    }

    private static let head = Data(
        "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n".utf8
    )

    private func reader(_ server: ScriptedServer, _ options: VideoReaderOptions = options) throws -> VideoReader {
        let url = try #require(URL(string: server.address))
        return try VideoReader(input: .stream(url), options: options)
    }

    @Test func readsAFileOverHTTP() throws {
        let data = try Data(contentsOf: TestData.video("h264-aac.mkv"))
        let server = try ScriptedServer { _, connection in
            connection.send(Data("HTTP/1.1 200 OK\r\nContent-Length: \(data.count)\r\n\r\n".utf8) + data)
        }
        let video = try reader(server)
        #expect(video.info.codec == "h264")
        #expect(try video.rest().map(\.number) == Array(0..<20))
    }

    private static func head(_ count: Int?, from start: Int? = nil, of total: Int = 0) -> Data {
        var lines = [start == nil ? "HTTP/1.1 200 OK" : "HTTP/1.1 206 Partial Content", "Connection: close"]
        if let count { lines.append("Content-Length: \(count)") }
        if let start { lines.append("Content-Range: bytes \(start)-\(total - 1)/\(total)") }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// Raw streams and other files whose containers state no length.
    private static let filesWithoutLength = ["mjpeg.mjpeg"]

    @Test(arguments: filesWithoutLength) func aFileWithoutAStatedLengthEndsOverHTTP(name: String) throws {
        let data = try Data(contentsOf: TestData.video(name))
        let server = try ScriptedServer { _, connection in connection.send(Self.head(data.count) + data) }
        let video = try reader(server)
        #expect(!video.info.isLive)
        #expect(try video.rest().map(\.number) == Array(0..<20))
        #expect(video.statistics.reconnects == 0)
    }

    @Test func aConnectionThatBreaksInTheFirstFramesIsAFailure() throws {
        let data = try Data(contentsOf: TestData.video("h264-aac.mkv"))
        let server = try ScriptedServer { _, connection in
            connection.send(Self.head(data.count) + data.prefix(data.count / 4))
        }
        #expect {
            try reader(server)
        } throws: {
            guard case VideoError.unreachable = $0 else { return false }
            return true
        }
    }

    @Test func aVideoOfUnknownLengthIsNotPlayedAgain() throws {
        // The server says neither the number of bytes nor the duration, and sends the same at each request.
        let data = try Self.withoutDuration(Data(contentsOf: TestData.video("h264-aac.mkv")))
        let server = try ScriptedServer { _, connection in connection.send(Self.head(nil) + data) }
        let video = try reader(server)
        #expect(video.info.isLive)
        #expect(try video.rest().map(\.number) == Array(0..<20))
    }

    /// A Matroska file as it is written to a pipe: the element of the duration is replaced by one to skip.
    private static func withoutDuration(_ data: Data) -> Data {
        var data = data
        if let place = data.range(of: Data([0x44, 0x89, 0x88])) {
            data.replaceSubrange(place, with: [0xEC, 0x40, 0x08])
        }
        return data
    }

    @Test func aServerThatAlwaysCutsTheFileIsGivenUp() throws {
        let data = try Data(contentsOf: TestData.video("h264-aac.mkv"))
        let server = try ScriptedServer { _, connection in
            connection.send(Self.head(data.count) + data.prefix(data.count * 3 / 5))
        }
        let video = try reader(server, VideoReaderOptions(timeout: .seconds(30), reconnects: 2))
        var numbers: [Int] = []
        let error = #expect(throws: VideoError.self) {
            while let frame = try video.next() { numbers.append(try NumberedFrame.number(in: frame.image)) }
        }
        // The last frame may be damaged.
        #expect(numbers.count >= 5 && numbers.dropLast() == ArraySlice(0..<numbers.count - 1))
        guard case .lost(_, _, attempts: 2) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [false, true], [0.45, 0.5, 0.7, 0.9]) func aFileGoesOnWhereTheConnectionBroke(
        hasRanges: Bool,
        share: Double
    ) throws {
        let data = try Data(contentsOf: TestData.video("h264-aac.mkv"))
        let server = try ScriptedServer { number, connection in
            let start = hasRanges ? connection.rangeStart ?? 0 : 0
            let rest = data.dropFirst(start)
            connection.send(Self.head(rest.count, from: hasRanges ? start : nil, of: data.count))
            connection.send(number == 0 ? rest.prefix(Int(Double(data.count) * share)) : rest)
        }
        let video = try reader(server)
        let frames = try video.rest()
        #expect(frames.map(\.number) == Array(0..<20))
        #expect(frames.allSatisfy { $0.time.isClose(to: .milliseconds(100) * $0.number) }, "\(frames)")
    }

    @Test func saysThatAnIndexAtTheEndNeedsRanges() throws {
        var file = try Data(contentsOf: TestData.video("h264-aac.mp4"))
        // More between the frames and the index than a reader keeps.
        let index = try #require(file.range(of: Data("moov".utf8))?.lowerBound) - 4
        file.insert(contentsOf: Data([0, 8, 0, 0]) + Data("free".utf8) + Data(count: 0x80000 - 8), at: index)
        let data = file
        let server = try ScriptedServer { _, connection in connection.send(Self.head(data.count) + data) }
        let video = try reader(server)
        let error = #expect(throws: VideoError.self) { try video.next() }
        #expect(error == .notSeekableAddress(input: server.address))
        #expect(error?.description.contains("download the file, or use a server that answers") == true)
    }

    @Test func connectsAgainAfterALossAndGoesOnWithRisingTimes() throws {
        let parts = try (0..<12).map(Self.part)
        let server = try ScriptedServer { number, connection in
            connection.send(Self.head)
            // The first connection ends after six pictures.
            for part in number == 0 ? parts[..<6] : parts[6...] {
                connection.send(part)
                Thread.sleep(forTimeInterval: 0.03)
            }
            if number > 0 { connection.stall() }
        }
        let video = try reader(server)
        #expect(video.info.isLive)
        var (numbers, times): ([Int], [Duration]) = ([], [])
        while numbers.last != 11, let frame = try video.next() {
            numbers.append(try NumberedFrame.number(in: frame.image))
            times.append(frame.timestamp)
        }
        #expect(numbers == numbers.sorted())
        #expect(numbers.last == 11)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(video.statistics.reconnects == 1)
        // The pause before connecting again is in the times.
        if let first = times.first, let last = times.last { #expect(last - first >= .milliseconds(500)) }
        #expect(throws: VideoError.self) { try video.seek(to: .zero) }
    }

    @Test func givesUpAServerThatStallsForever() throws {
        let parts = try (0..<4).map(Self.part)
        let server = try ScriptedServer { number, connection in
            guard number == 0 else { return connection.stall() }
            connection.send(Self.head)
            for part in parts { connection.send(part) }
            connection.stall()
        }
        let video = try reader(server, VideoReaderOptions(timeout: .seconds(2), reconnects: 2))
        var count = 0
        let error = #expect(throws: VideoError.self) { while try video.next() != nil { count += 1 } }
        // The demuxer may wait for the fifth before it gives the fourth.
        #expect(count >= 3)
        guard case .lost(_, _, attempts: 2) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try video.next() == nil)
    }

    @Test func saysThatAServerDoesNotAnswerInTime() throws {
        let server = try ScriptedServer { _, connection in connection.stall() }
        let error = #expect(throws: VideoError.self) {
            try reader(server, VideoReaderOptions(timeout: .milliseconds(500)))
        }
        #expect(error == .timedOut(input: server.address, after: .milliseconds(500)))
    }

    @Test func saysThatNobodyListens() throws {
        let error = #expect(throws: VideoError.self) {
            try VideoReader(input: VideoInput("http://127.0.0.1:1/video.mp4"), options: Self.options)
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func endsAtOnceWhenCancelledWhileItWaits() async throws {
        let parts = try (0..<4).map(Self.part)
        let server = try ScriptedServer { _, connection in
            connection.send(Self.head)
            for part in parts { connection.send(part) }
            connection.stall()
        }
        let video = try reader(server, VideoReaderOptions(timeout: .seconds(60)))
        let task = Task {
            var count = 0
            for try await _ in video.frames() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        // Long before the minute of its timeout is over.
        #expect(try await task.value <= 4)
        #expect(try video.next() == nil)
    }

    @Test func aStreamCannotLeadToFiles() throws {
        try withTemporaryFolder { folder in
            let secret = folder.appending(path: "secret.ts")
            try FileManager.default.copyItem(at: TestData.video("h264-aac.mkv"), to: secret)
            let list = Data(
                "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://\(secret.path)\n#EXT-X-ENDLIST\n".utf8
            )
            let server = try ScriptedServer { _, connection in
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\nContent-Length: \(list.count)\r\n\r\n"
                connection.send(Data(head.utf8) + list)
            }
            let url = try #require(URL(string: server.address + "/list.m3u8"))
            #expect(throws: VideoError.self) {
                let video = try VideoReader(input: .stream(url), options: Self.options)
                while try video.next() != nil {}
            }
        }
    }

    @Test(arguments: ["file:///etc/passwd", "concat://a", "ftp://127.0.0.1/x"]) func refusesOtherSchemes(
        address: String
    ) throws {
        let url = try #require(URL(string: address))
        let error = #expect(throws: VideoError.self) { try VideoReader(input: .stream(url)) }
        #expect(error?.description.contains("expected one of") == true)
    }
}
