import AsyncHTTPClient
import Foundation
import HTTPTypes
import HubTestSupport
import Hummingbird
import NIOCore
import NIOHTTP1
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// A server in front of a storage server, which fails as configured.
final class FaultProxy: Sendable {
    enum Fault: Sendable, Hashable {
        case status(Int)
        /// The connection ends in the middle of the body.
        case cut
        /// There is no answer while the proxy lives.
        case silence
        /// The answer comes late.
        case delay(Duration)
        /// Another byte in the body.
        case wrongByte
        /// The object is said to have 100 bytes.
        case wrongLength
    }

    private struct State {
        var fault: Fault?
        var methods: Set<HTTPRequest.Method> = []
        var rest = 0
        var failures = 0
        var isEnded = false
    }

    private let state = Mutex(State())
    private let target: Int

    private init(target: Int) { self.target = target }

    /// Calls `body` with a proxy, and with a client for a new place behind it.
    static func with(
        limits: S3Client.Limits = .ofTests,
        _ body: @escaping @Sendable (FaultProxy, S3Client) async throws -> Void
    ) async throws {
        let proxy = FaultProxy(target: try await StorageServer.moto.port())
        var location = try await StorageServer.moto.location()
        let (ports, started) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in try await proxy.answer(request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) },
            logger: HubServer.makeLogger(level: .critical)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                location.endpoint = URL(string: "http://127.0.0.1:\(port)")
                break
            }
            defer {
                proxy.state.withLock { $0.isEnded = true }
                group.cancelAll()
            }
            try await body(proxy, S3Client(location, StorageServer.credentials, limits: limits))
        }
    }

    /// Makes the next requests with some methods fail.
    func fail(_ fault: Fault, _ methods: Set<HTTPRequest.Method>, times: Int = .max) {
        state.withLock { state in (state.fault, state.methods, state.rest) = (fault, methods, times) }
    }

    /// Makes all requests succeed.
    func recover() { state.withLock { $0.fault = nil } }

    /// The number of requests that failed.
    var failures: Int { state.withLock { $0.failures } }

    private func fault(for method: HTTPRequest.Method) -> Fault? {
        state.withLock { state in
            guard let fault = state.fault, state.methods.contains(method), state.rest > 0 else { return nil }
            state.rest -= 1
            state.failures += 1
            return fault
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let fault = fault(for: request.method)
        switch fault {
        case .status(let status):
            return Response(status: .init(code: status), headers: [.connection: "close"])
        case .silence:
            try await wait(while: { !state.withLock { $0.isEnded } })
            return Response(status: .badGateway)
        case .delay(let duration): try await Task.sleep(for: duration)
        default: break
        }
        var (head, body) = try await forward(request)
        switch fault {
        case .cut:
            let half = body.getSlice(at: 0, length: body.readableBytes / 2) ?? ByteBuffer()
            head.body = ResponseBody(contentLength: body.readableBytes) { writer in
                try await writer.write(half)
                throw CancellationError()
            }
            return head
        case .wrongByte:
            if let byte: UInt8 = body.getInteger(at: body.readableBytes / 2) {
                body.setInteger(byte ^ 1, at: body.readableBytes / 2)
            }
        case .wrongLength: if head.headers[.contentLength] != nil { head.headers[.contentLength] = "100" }
        default: break
        }
        if request.method != .head { head.body = ResponseBody(byteBuffer: body) }
        return head
    }

    private func forward(_ request: Request) async throws -> (Response, ByteBuffer) {
        var message = HTTPClientRequest(url: "http://127.0.0.1:\(target)\(request.uri.string)")
        message.method = .init(rawValue: request.method.rawValue)
        for field in request.headers
        where !["host", "content-length", "transfer-encoding"].contains(field.name.canonicalName) {
            message.headers.add(name: field.name.canonicalName, value: field.value)
        }
        let body = try await request.body.collect(upTo: 1 << 28)
        if body.readableBytes > 0 || request.method == .put { message.body = .bytes(body) }
        let reply = try await HTTPClient.shared.execute(message, timeout: .seconds(300))
        var headers = HTTPFields()
        for (name, value) in reply.headers where !["connection", "transfer-encoding"].contains(name.lowercased()) {
            guard let name = HTTPField.Name(name) else { continue }
            if name != .contentLength || request.method == .head { headers[name] = value }
        }
        let head = Response(status: .init(code: Int(reply.status.code)), headers: headers)
        return (head, try await reply.body.collect(upTo: 1 << 28))
    }
}
