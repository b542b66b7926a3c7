import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// The files of pending responses. A request handler adds a file and names it in a header of its response; the
/// ``FileSendingHandler`` of the connection takes it.
final class FileSendings: Sendable {
    struct Content {
        var file: LocalFile
        var part: Range<Int>
    }

    private struct State {
        var next: UInt64 = 0
        var contents: [UInt64: (content: Content, time: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    /// A response whose connection ends before its head is written never takes its file.
    private static let maximumAge = Duration.seconds(60)

    /// Stores a file for the response that names it; returns the value of the header.
    func add(_ file: LocalFile, _ part: Range<Int>, now: ContinuousClock.Instant = .now) -> String {
        state.withLock { state in
            if state.contents.count >= 64 {
                state.contents = state.contents.filter { now - $0.value.time < Self.maximumAge }
            }
            state.next &+= 1
            state.contents[state.next] = (Content(file: file, part: part), now)
            return "\(state.next)"
        }
    }

    /// Takes a file out, once.
    func take(_ number: UInt64) -> Content? {
        state.withLock { $0.contents.removeValue(forKey: number)?.content }
    }
}

/// Replaces the header in a response with the named file, as regions that the kernel sends.
///
/// The handler stands next to the encoder of responses, where bodies may be regions of files.
final class FileSendingHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let sendings: FileSendings

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

    /// Queues the file piece by piece. The queued pieces refer to the file and contain none of its bytes.
    private func send(_ content: FileSendings.Content, _ context: ChannelHandlerContext) {
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: content.file.descriptor)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            // The file object owns the descriptor and lives until the last piece is sent.
            _ = try? handle.takeDescriptorOwnership()
            withExtendedLifetime(content.file) {}
        }
        for start in stride(from: content.part.lowerBound, to: content.part.upperBound, by: Self.pieceSize) {
            let end = min(start + Self.pieceSize, content.part.upperBound)
            let region = FileRegion(fileHandle: handle, readerIndex: start, endIndex: end)
            context.write(
                wrapOutboundOut(.body(.fileRegion(region))),
                promise: end == content.part.upperBound ? sent : nil
            )
        }
    }
}
