import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// `sightline zones` as a process: its page, its frame, and its refusals.
@Suite(.hangLimit) struct ZonesCommandTests {
    private static let video = TestData.fixture("videos/h264-aac.mp4").path

    @Test func servesAPageWithTheFrame() async throws {
        try await ZonesServer.with([Self.video]) { server in
            let page = try server.text("/")
            #expect(page.contains("Frame at 0:01.0 · 64 × 48 pixels"))
            let script = try server.text("/drawing.js")
            #expect(script.contains("addEventListener"))
            let style = try server.text("/zones.css")
            #expect(style.contains("prefers-color-scheme"))
            let frame = try VisionImage(data: server.body("/frame.jpg"))
            #expect(frame.size == PixelSize(width: 64, height: 48))
        }
    }

    @Test func showsTheFrameAtATime() async throws {
        try await ZonesServer.with([Self.video, "--at", "0:01.5"]) { server in
            let page = try server.text("/")
            #expect(page.contains("Frame at 0:01.5 "))
        }
    }

    @Test(arguments: [
        (TestData.fixture("images/exif-6.jpg"), PixelSize(width: 53, height: 37)),
        (TestData.fixture("videos/turned.mp4"), PixelSize(width: 48, height: 64)),
    ])
    func theFrameIsUpright(file: URL, size: PixelSize) async throws {
        try await ZonesServer.with([file.path]) { server in
            let page = try server.text("/")
            #expect(page.contains(" · \(size.width) × \(size.height) pixels"))
            let frame = try VisionImage(data: server.body("/frame.jpg"))
            #expect(frame.size == size)
        }
    }

    @Test func aVideoOfLessThanASecondShowsItsLastFrame() async throws {
        try await withTemporaryFolder { folder in
            for number in 10...14 { try Pictures.write(["frames/\(number).png": Pictures.png(red: 255)], in: folder) }
            try await ZonesServer.with(["frames"], in: folder) { server in
                let page = try server.text("/")
                #expect(page.contains("Frame at 0:00.1 "))
            }
        }
    }

    @Test func aNameIsTextAndNotHTML() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["<b>\"a & {{width}}\"</b>.png": Pictures.png(red: 255)], in: folder)
            try await ZonesServer.with(["<b>\"a & {{width}}\"</b>.png"], in: folder) { server in
                let page = try server.text("/")
                #expect(page.contains("<h1>&lt;b&gt;&quot;a &amp; {{width}}&quot;&lt;/b&gt;.png</h1>"))
                #expect(!page.contains("<b>"))
            }
        }
    }

    @Test func aPasswordIsNotShown() async throws {
        let video = try Data(contentsOf: TestData.fixture("videos/h264-aac.mkv"))
        let camera = try LoopbackServer { .file(video, for: $0) }
        let address = camera.address.replacing("http://", with: "http://me:secret@") + "/h264-aac.mkv"
        try await ZonesServer.with([address]) { server in
            let page = try server.text("/")
            #expect(page.contains("<h1>\(camera.address)</h1>"), "\(page)")
            #expect(!page.contains("secret"))
        }
    }

    @Test func refusesOtherHostsMethodsAndPaths() async throws {
        try await ZonesServer.with([Self.video]) { server in
            let others = [
                ("GET /frame.jpg HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", "HTTP/1.1 403 "),
                ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 "),
                ("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 "),
                ("GET /caption HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 "),
                ("GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 "),
            ]
            for (request, status) in others {
                let answer = try server.answer(request)
                #expect(answer.hasPrefix(status), "\(request)")
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsItAsPlanned(signal: Int32) async throws {
        let result = try await Command.interrupted(by: signal, ["zones", Self.video]) { $0.contains("\n") }
        #expect(result.status == 0)
        #expect(result.errors == "")
    }

    @Test func refusesATimeBeyondTheEnd() async throws {
        let result = try await Command.run(["zones", Self.video, "--at", "1:00"])
        #expect(result.status == 2)
        #expect(result.errors.contains("--at 1:00.0 lies beyond the end of"))
    }

    @Test func refusesAPortThatIsTaken() async throws {
        try await ZonesServer.with([Self.video]) { server in
            let result = try await Command.run(["zones", Self.video, "--port", "\(server.port)"])
            #expect(result.status == 2)
            #expect(result.errors.contains("choose another port"))
        }
    }

    @Test func asksForOneVideoOfAFolder() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.copyItem(atPath: Self.video, toPath: folder.appending(path: "a.mp4").path)
            let result = try await Command.run(["zones", folder.path])
            #expect(result.status == 2)
            #expect(result.errors.contains("is a folder of videos; name one of them"))
        }
    }

    @Test(arguments: [
        (["missing.mp4"], 2, "missing.mp4"),
        (["a.mp4", "--at", "soon"], 64, "A time is a number of seconds"),
        (["a.mp4", "--port", "70000"], 64, "--port"),
        ([""], 64, "The name of the input is empty"),
        ([], 64, "sightline zones --help"),
    ])
    func aWrongCommandLineHasOneSentence(arguments: [String], status: Int32, words: String) async throws {
        let result = try await Command.run(["zones"] + arguments)
        #expect(result.status == status)
        #expect(result.output == "")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }
}

/// `sightline zones` while it serves.
struct ZonesServer {
    let port: Int
    /// For example `http://127.0.0.1:41234`.
    var address: String { "http://127.0.0.1:\(port)" }

    /// Runs the command while `body` uses its page.
    static func with(
        _ arguments: [String],
        in folder: URL? = nil,
        _ body: (ZonesServer) async throws -> Void
    ) async throws {
        let process = try await Command.program.start(["zones"] + arguments, in: folder)
        try await process.waitForOutput { $0.contains("\n") }
        let found = try #require(process.output.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//), "\(process.output)")
        try await body(ZonesServer(port: try #require(Int(found.1))))
        _ = try await process.stop()
    }

    /// The whole answer to a request.
    func answer(_ request: String) throws -> String { String(decoding: try received(request), as: UTF8.self) }

    /// The content at a path.
    func body(_ path: String) throws -> Data {
        let answer = try received("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(answer.starts(with: Data("HTTP/1.1 200 OK\r\n".utf8)))
        let head = try #require(answer.range(of: Data("\r\n\r\n".utf8)))
        return Data(answer[head.upperBound...])
    }

    /// The text at a path.
    func text(_ path: String) throws -> String { String(decoding: try body(path), as: UTF8.self) }

    private func received(_ request: String) throws -> Data {
        let connection = try Loopback.connection(port: UInt16(port), timeout: .seconds(60))
        defer { close(connection) }
        Loopback.send(request.utf8, to: connection)
        var (answer, bytes) = (Data(), [UInt8](repeating: 0, count: 65_536))
        while case let count = recv(connection, &bytes, bytes.count, 0), count > 0 { answer += bytes.prefix(count) }
        return answer
    }
}
