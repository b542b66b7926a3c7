import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Watching in a browser.
@Suite(.hangLimit)
struct PreviewServerTests {
    private func image(_ number: Int) throws -> VisionImage { VisionImage(pixels: try NumberedFrame.pixels(number)) }

    @Test func showsAPageWithTheStream() async throws {
        let server = try PreviewServer()
        let browser = try Browser(port: server.port)
        browser.ask("/")
        let answer = browser.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("<img src=\"/stream\""))
        await server.stop()
    }

    @Test func showsItsTitleAndACaption() async throws {
        let server = try PreviewServer(title: "<gate> & yard")
        server.show(try image(1), caption: "frame 1 · 2 objects")
        let (page, caption) = (try Browser(port: server.port), try Browser(port: server.port))
        page.ask("/")
        #expect(page.readAll().contains("<h1>&lt;gate&gt; &amp; yard</h1>"))
        caption.ask("/caption")
        #expect(caption.readAll().hasSuffix("\r\n\r\nframe 1 · 2 objects"))
        await server.stop()
    }

    @Test func sendsTheNewestPictures() async throws {
        let server = try PreviewServer()
        let browser = try Browser(port: server.port)
        browser.ask("/stream")
        for number in [3, 200, 77] {
            server.show(try image(number))
            let jpeg = try #require(browser.nextPart())
            #expect(try NumberedFrame.number(in: VisionImage(data: jpeg)) == number)
        }
        #expect(server.viewers == 1)
        await server.stop()
    }

    @Test func givesANewViewerThePictureThatIsThere() async throws {
        let server = try PreviewServer()
        server.show(try image(9))
        let browser = try Browser(port: server.port)
        browser.ask("/stream")
        let jpeg = try #require(browser.nextPart())
        #expect(try NumberedFrame.number(in: VisionImage(data: jpeg)) == 9)
        await server.stop()
    }

    @Test func aViewerThatNeverReadsHoldsUpNobody() async throws {
        let server = try PreviewServer()
        let (reader, sleeper) = (try Browser(port: server.port), try Browser(port: server.port))
        sleeper.ask("/stream")
        reader.ask("/stream")
        // Large pictures, so that the sleeper's share soon fills all buffers on the way.
        let size = PixelSize(width: 960, height: 720)
        for number in 0..<30 {
            server.show(VisionImage(pixels: try NumberedFrame.pixels(number, size: size, format: .gray)))
            let jpeg = try #require(reader.nextPart())
            #expect(try NumberedFrame.number(in: VisionImage(data: jpeg)) == number)
        }
        await server.stop()
    }

    @Test func dropsPicturesThatAreTooManyForItsViewer() async throws {
        let server = try PreviewServer()
        let browser = try Browser(port: server.port)
        browser.ask("/stream")
        server.show(try image(0))
        _ = browser.nextPart()
        // Far more than it sends in that time; showing takes no time.
        for number in 0..<255 { server.show(try image(number)) }
        server.show(try image(255))
        var (parts, last) = (0, 0)
        while last != 255, let jpeg = browser.nextPart() {
            last = try NumberedFrame.number(in: VisionImage(data: jpeg))
            parts += 1
        }
        #expect(last == 255)
        #expect(parts < 100)
        await server.stop()
    }

    @Test func closesConnectionsWhenItStops() async throws {
        let server = try PreviewServer()
        let browser = try Browser(port: server.port)
        browser.ask("/stream")
        server.show(try image(1))
        _ = browser.nextPart()
        await server.stop()
        await server.stop()
        #expect(browser.nextPart() == nil)
        #expect(throws: (any Error).self) { try Browser(port: server.port) }
    }

    @Test func canUseItsPortAgain() async throws {
        // Another program may take the port in between, but not each time.
        var second: PreviewServer?
        for _ in 0..<10 where second == nil {
            let first = try PreviewServer()
            await first.stop()
            second = try? PreviewServer(port: first.port)
        }
        let again = try #require(second)
        let error = #expect(throws: MediaError.self) { try PreviewServer(port: again.port) }
        #expect(error?.description.contains("choose another port") == true)
        await again.stop()
    }

    @Test(arguments: [-1, 65_536, .max]) func refusesWhatIsNoPort(port: Int) {
        #expect(throws: MediaError.self) { try PreviewServer(port: port) }
    }

    @Test(arguments: [
        ("GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", "403"),
        ("GET / HTTP/1.1\r\n\r\n", "403"),
        ("\r\n\r\n", "403"),
        ("GET /" + String(repeating: "x", count: 20_000), "431"),
    ]) func refusesOtherRequests(request: String, status: String) async throws {
        let server = try PreviewServer()
        let browser = try Browser(port: server.port)
        browser.send(request)
        #expect(browser.readAll().hasPrefix("HTTP/1.1 \(status) "))
        await server.stop()
    }

    @Test func takesNoMoreViewersThanAllowed() async throws {
        let server = try PreviewServer(maximumViewers: 2)
        server.show(try image(1))
        let browsers = try (0..<3).map { _ in try Browser(port: server.port) }
        for browser in browsers.prefix(2) {
            browser.ask("/stream")
            #expect(browser.nextPart() != nil)
        }
        browsers[2].ask("/stream")
        #expect(browsers[2].readAll().hasPrefix("HTTP/1.1 503 "))
        await server.stop()
    }

    @Test func aViewerThatLeavesMakesRoom() async throws {
        let server = try PreviewServer(maximumViewers: 1)
        server.show(try image(1))
        do {
            let first = try Browser(port: server.port)
            first.ask("/stream")
            #expect(first.nextPart() != nil)
        }
        // No picture comes meanwhile whose sending would fail.
        while server.viewers > 0 { try await Task.sleep(for: .milliseconds(20)) }
        let second = try Browser(port: server.port)
        second.ask("/stream")
        #expect(second.nextPart() != nil)
        await server.stop()
    }

    @Test func stopsBesideABrowserThatAsksNothing() async throws {
        let server = try PreviewServer()
        let (silent, other) = (try Browser(port: server.port), try Browser(port: server.port))
        silent.send("GET / HTTP/1.1\r\n")
        other.ask("/")
        #expect(other.readAll().hasPrefix("HTTP/1.1 200 "))
        await server.stop()
        #expect(silent.readAll().isEmpty)
    }
}

/// A client that reads what a preview server sends, waiting at most a minute.
private final class Browser {
    private let connection: Int32
    private var buffered = Data()

    init(port: Int) throws {
        connection = try Loopback.connection(port: UInt16(port), timeout: .seconds(60))
    }

    deinit { close(connection) }

    func ask(_ path: String) { send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") }

    func send(_ text: String) {
        Loopback.send(text.utf8, to: connection)
    }

    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &bytes, bytes.count, 0)
        if count > 0 { buffered += bytes.prefix(count) }
        return count > 0
    }

    func readAll() -> String {
        while receive() {}
        return String(decoding: buffered, as: UTF8.self)
    }

    /// The next picture of the stream; nil when the connection ended.
    func nextPart() -> Data? {
        let length = Data("Content-Length: ".utf8)
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let field = buffered.range(of: length),
                let head = buffered.range(of: end, in: field.upperBound..<buffered.endIndex),
                let count = Int(String(decoding: buffered[field.upperBound..<head.lowerBound], as: UTF8.self)),
                buffered.endIndex - head.upperBound >= count
            {
                let part = Data(buffered[head.upperBound..<head.upperBound + count])
                buffered = Data(buffered[(head.upperBound + count)...])
                return part
            }
            guard receive() else { return nil }
        }
    }
}
