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
    private func refuseEarly(_ status: HTTPResponseStatus = .serviceUnavailable) throws {
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))
        )
        let fields: HTTPHeaders = ["content-length": "0"]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
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
        try send(3, after: .seconds(4))
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
        try send(14, after: .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aClientThatWasTooSlowHasNoFurtherQuarterMinute() throws {
        try refuseEarly(.requestTimeout)
        try send(1, after: .seconds(4))
        #expect(channel.isActive)
        try send(1, after: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aRestBeyondSixteenMebibytesIsNotRead() throws {
        let reads = ReadCounter()
        try channel.pipeline.syncOperations.addHandler(reads, position: .first)
        try refuseEarly()
        func sendMebibyte() throws -> Int {
            let before = reads.count
            let piece = ByteBuffer(repeating: 0, count: 1 << 20)
            try channel.writeInbound(HTTPServerRequestPart.body(piece))
            channel.read()
            return reads.count - before
        }
        for _ in 0..<16 { #expect(try sendMebibyte() > 0) }
        #expect(try sendMebibyte() == 0)
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        var count = 0
        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    @Test func aCompleteRequestKeepsItsConnection() throws {
        try refuseEarly()
        try send(1, after: .zero)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        loop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
    }
}
