import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// The files that answers are about to send: from a handler of requests, which names one in a header of its answer, to the
/// ``FileSendingHandler`` of the connection, which takes it.
final class FileSendings: Sendable {
    struct Content {
        var file: ReadFile
        var part: Range<Int>
    }

    private struct State {
        var next: UInt64 = 0
        var contents: [UInt64: (content: Content, time: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    /// An answer whose connection ends before its head is written never takes its file.
    private static let maximumAge = Duration.seconds(60)

    /// Keeps a file for the answer that names it; gives the value of the header.
    func add(_ file: ReadFile, _ part: Range<Int>, now: ContinuousClock.Instant = .now) -> String {
        state.withLock { state in
            if state.contents.count >= 64 {
                state.contents = state.contents.filter { now - $0.value.time < Self.maximumAge }
            }
            state.next &+= 1
            state.contents[state.next] = (Content(file: file, part: part), now)
            return "\(state.next)"
        }
    }

    /// Gives a file away, once.
    func take(_ number: UInt64) -> Content? {
        state.withLock { $0.contents.removeValue(forKey: number)?.content }
    }
}

/// Puts files into answers that name one, as regions that the kernel sends, and ends connections that stand still.
///
/// It stands next to the encoder of answers, where bodies may be regions of files.
final class FileSendingHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let sendings: FileSendings
    /// How many pieces are still to be sent, of all answers.
    private var pending = 0
    private var sentSinceCheck = false
    private var check: Scheduled<Void>?

    /// A piece that is not taken within this time ends the connection: about 4 kB in a second.
    private static let stallTime = TimeAmount.seconds(60)
    private static let pieceSize = 256 << 10

    init(sendings: FileSendings) { self.sendings = sendings }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data),
            let text = head.headers.first(name: HTTPField.Name.sentFile.rawName)
        else {
            context.write(data, promise: promise)
            return
        }
        head.headers.remove(name: HTTPField.Name.sentFile.rawName)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        guard let content = UInt64(text).flatMap(sendings.take) else {
            context.close(promise: nil)
            return
        }
        send(content, context)
    }

    /// Queues the file piece by piece; what is queued refers to the file and holds none of its bytes.
    private func send(_ content: FileSendings.Content, _ context: ChannelHandlerContext) {
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: content.file.descriptor)
        let loop = context.eventLoop
        for start in stride(from: content.part.lowerBound, to: content.part.upperBound, by: Self.pieceSize) {
            let end = min(start + Self.pieceSize, content.part.upperBound)
            let region = FileRegion(fileHandle: handle, readerIndex: start, endIndex: end)
            let sent = loop.makePromise(of: Void.self)
            pending += 1
            sent.futureResult.assumeIsolated().whenComplete { [self] _ in
                pending -= 1
                sentSinceCheck = true
                if pending == 0 {
                    check?.cancel()
                    check = nil
                }
                // The descriptor is the file object's, which lives until the last piece is through.
                if end == content.part.upperBound { _ = try? handle.takeDescriptorOwnership() }
                withExtendedLifetime(content.file) {}
            }
            context.write(wrapOutboundOut(.body(.fileRegion(region))), promise: sent)
        }
        scheduleCheck(context)
    }

    private func scheduleCheck(_ context: ChannelHandlerContext) {
        guard check == nil, pending > 0 else { return }
        sentSinceCheck = false
        let channel = context.channel
        check = context.eventLoop.assumeIsolated().scheduleTask(in: Self.stallTime) { [self] in
            check = nil
            guard pending > 0 else { return }
            if sentSinceCheck { scheduleCheck(context) } else { channel.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }
}

/// Puts a ``FileSendingHandler`` behind the encoder of a new connection, and is gone.
final class FileSendingInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let sendings: FileSendings

    init(sendings: FileSendings) { self.sendings = sendings }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            try pipeline.addHandler(FileSendingHandler(sendings: sendings), position: .after(encoder))
        } catch {
            context.close(promise: nil)
        }
    }
}
