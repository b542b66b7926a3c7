import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

/// A server with one route and plain texts as errors.
private struct EchoServer: HTTPResponder {
    let metrics = ServerMetrics(name: "echo")
    private let router: RouterResponder<ServingContext>

    init(options: HTTPService.Options) {
        let metrics = self.metrics
        let router = Router(context: ServingContext.self)
        router.addMiddleware {
            RequestOrigin(options: options, kinds: ["/echo": RouteKind(area: "echoes")])
            RequestMetrics(metrics: metrics, areas: [])
            RequestLog()
            ResponseProtection(usesTLS: false)
            Admission(refuse: Self.response)
            ErrorResponses { error, _ in
                RequestError(error).map(Self.response) ?? Response(status: .internalServerError)
            }
        }
        router.get("fail") { _, _ -> Response in throw CancellationError() }
        router.post("echo") { request, context in
            let request = APIRequest(request, context)
            return try Response.json(try await request.json([String: Int].self, upTo: 1000))
        }
        self.router = router.buildResponder()
    }

    private static func response(_ error: RequestError) -> Response {
        Response(status: error.status, body: ResponseBody(byteBuffer: ByteBuffer(string: "\(error)")))
    }

    func respond(to request: Request, context: ServingContext) async throws -> Response {
        var context = context
        let request = context.readTarget(of: request, spelling: .init())
        return try await router.respond(to: request, context: context)
    }

    static func with(
        rateLimit: Double? = nil,
        log: LogLines? = nil,
        _ body: @escaping @Sendable (any TestClientProtocol, ServerMetrics) async throws -> Void
    ) async throws {
        var options = HTTPService.Options()
        (options.port, options.rateLimit, options.idleTimeout) = (0, rateLimit, .seconds(900))
        let logger = Logger(label: "echo") { _ -> any LogHandler in
            if let log { return log }
            return SwiftLogNoOpLogHandler()
        }
        let server = EchoServer(options: options)
        let application = try HTTPService(options: options, logger: logger).application(responder: server) { _ in }
        try await application.test(.live) { try await body($0, server.metrics) }
    }
}

/// Keeps the lines of a log.
private struct LogLines: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    private let lines = Lines()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") } }

    func all(with message: String) -> [String] { lines.all.withLock { $0.filter { $0.hasPrefix(message) } } }
}

@Suite(.hangLimit)
struct HTTPServiceTests {
    @Test func requestsThatFailAreALineAMinute() async throws {
        let log = LogLines()
        try await EchoServer.with(log: log) { client, _ in
            for _ in 0..<50 {
                try await client.execute(uri: "/fail", method: .get) { #expect($0.status == .serviceUnavailable) }
            }
        }
        #expect(log.all(with: "request").count == 1)
    }

    @Test func aServerReadsCountsAndProtects() async throws {
        try await EchoServer.with { client, metrics in
            try await client.execute(uri: "/echo", method: .post, body: ByteBuffer(string: #"{"a":1}"#)) { reply in
                #expect(reply.status == .ok && String(buffer: reply.body) == #"{"a":1}"#)
                #expect(reply.headers[.xContentTypeOptions] == "nosniff")
            }
            #expect(metrics.text.contains(#"echo_requests_total{area="echoes",method="POST",status="200"} 1"#))
        }
    }

    @Test(arguments: [
        ("/echo", "no JSON", 400, "JSON"), ("/echo", String(repeating: " ", count: 1001), 413, "1000 bytes"),
        ("/%65cho", "{}", 404, "nothing at this address"), ("/echo?a=%zz", "{}", 400, "malformed"),
    ])
    func aServerAnswersInItsOwnFormatWhatItRefuses(target: String, body: String, status: Int, text: String) async throws
    {
        try await EchoServer.with { client, _ in
            try await client.execute(uri: target, method: .post, body: ByteBuffer(string: body)) { reply in
                #expect(reply.status.code == status && String(buffer: reply.body).contains(text))
            }
        }
    }

    @Test func aServerSlowsDownAClient() async throws {
        // So slow that nothing is forgiven while a busy machine runs the test.
        try await EchoServer.with(rateLimit: 1e-6) { client, _ in
            var statuses: [Int] = []
            for _ in 0..<10 {
                statuses.append(
                    try await client.execute(uri: "/echo", method: .post, body: ByteBuffer(string: "{}")).status.code
                )
            }
            // A burst of ten, of which the bodies cost a little.
            #expect(statuses == Array(repeating: 200, count: 9) + [429])
        }
    }

    @Test func onlyALoopbackServerNeedsNoEncryption() {
        var options = HTTPService.Options()
        for (host, isExposed) in [
            ("127.0.0.1", false), ("localhost", false), ("::1", false), ("0.0.0.0", true), ("::", true),
            ("192.0.2.1", true),
        ] {
            options.host = host
            #expect(options.isExposedWithoutTLS == isExposed, "\(host)")
        }
        options.trustsProxy = true
        #expect(!options.isExposedWithoutTLS)
        options.trustsProxy = false
        options.tls = .init(certificates: "", key: "")
        #expect(!options.isExposedWithoutTLS)
    }
}
