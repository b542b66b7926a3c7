import NIOCore
import NIOEmbedded
import NIOHTTP1
import SightlineTestSupport
import Testing

@testable import HTTPServing

/// The time that a client has for the rest of a request behind its response, on a clock that the test sets forward.
@Suite(.hangLimit)
struct ConnectionDeadlinesTests {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel

    init() throws {
        let deadlines = ConnectionDeadlines(writeTimeout: .seconds(60), closesWithInput: false)
        channel = EmbeddedChannel(handler: deadlines, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The beginning of a request, and the whole response to it.
    private func refuseEarly() throws {
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))
        )
        let fields: HTTPHeaders = ["content-length": "0"]
        let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: fields)
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// Sends pieces of the rest, each after a pause.
    private func send(_ count: Int, after pause: TimeAmount) throws {
        for _ in 0..<count {
            loop.advanceTime(by: pause)
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "more")))
        }
    }

    @Test func aClientThatStillSendsIsNotCutOff() throws {
        try refuseEarly()
        try send(7, after: .seconds(4))
        #expect(channel.isActive)
    }

    @Test func aClientThatSendsNothingMoreIsCutOff() throws {
        try refuseEarly()
        loop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aClientThatNeverEndsIsCutOff() throws {
        try refuseEarly()
        try send(29, after: .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aCompleteRequestKeepsItsConnection() throws {
        try refuseEarly()
        try send(1, after: .zero)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        loop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
    }
}
