import AsyncHTTPClient
import Crypto
import DurableFiles
import Foundation
import ModelHubProtocol
import NIOCore
import NIOHTTP1

/// Sends signed requests to a bucket, and repeats those that failed for a passing reason.
///
/// No promise of the hub rests on conditional requests or on checksums of the server, because many servers ignore them.
struct S3Client: Sendable {
    /// The timeout of requests and the number of their attempts.
    struct Limits: Sendable, Hashable {
        /// The longest time without a byte from the server.
        var silence = Duration.seconds(10)
        /// The longest time of an attempt that transfers little.
        var attempt = Duration.seconds(15)
        /// The time after which no new attempt begins.
        var total = Duration.seconds(20)
        var retries = RetryPolicy(tries: 4, base: .milliseconds(200), maximum: .seconds(5))
    }

    let location: S3Location
    var limits: Limits
    private let signer: S3Signer
    private let connections: HTTPClient

    init(_ location: S3Location, _ credentials: S3Credentials, limits: Limits = Limits()) {
        self.location = location
        self.limits = limits
        signer = S3Signer(credentials: credentials, region: location.region)
        connections = S3Connections.client(silence: limits.silence)
    }

    /// Sends a request, and returns the response after its whole body, which is small, has arrived.
    func send(_ request: S3Request) async throws -> (head: HTTPClientResponse, body: Data) {
        try await repeating { try await attempt(request) }
    }

    /// Sends a request, and returns the response before its body has arrived. Errors are thrown as ``S3Failure``, and
    /// nothing is repeated.
    func open(_ request: S3Request) async throws -> HTTPClientResponse {
        let message = message(for: request)
        let deadline = TimeAmount(limit(for: request))
        let response = try await Self.translating { try await connections.execute(message, timeout: deadline) }
        guard (200..<300).contains(response.status.code) else {
            let body = try? await response.body.collect(upTo: 64 << 10)
            throw S3Failure.refused(
                status: Int(response.status.code),
                code: body.flatMap { S3Reply(Data($0.readableBytesView)) }?.fields["Code"]
            )
        }
        return response
    }

    /// Runs attempts until one succeeds, or none is left.
    ///
    /// - Throws: `.unavailable`, or ``S3Failure`` if the key is missing.
    func repeating<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        var attempts = Attempts(limits.retries)
        while true {
            do {
                return try await attempt()
            } catch let failure as S3Failure {
                if failure.isMissingKey { throw failure }
                guard failure.isTransient, ContinuousClock.now - start < limits.total,
                    let pause = attempts.nextPause()
                else { throw failure.error(for: location) }
                try await Task.sleep(for: pause)
            }
        }
    }

    private func attempt(_ request: S3Request) async throws -> (head: HTTPClientResponse, body: Data) {
        try await withThrowingTaskGroup(of: (HTTPClientResponse, Data).self) { group in
            group.addTask {
                let response = try await open(request)
                let body = try await Self.translating { try await response.body.collect(upTo: S3Reply.limit) }
                return (response, Data(body.readableBytesView))
            }
            let limit = limit(for: request)
            group.addTask {
                try await Task.sleep(for: limit)
                throw S3Failure.unreachable(reason: "no complete answer within \(limit.wholeSeconds) s")
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    /// The longest time of an attempt: a slow network sends 64 KiB in a second.
    private func limit(for request: S3Request) -> Duration { limits.attempt + .seconds(request.byteCount >> 16) }

    private func message(for request: S3Request) -> HTTPClientRequest {
        let (scheme, host) = location.origin
        let path = location.path(of: request.key)
        let fields = signer.fields(
            request.method.rawValue,
            host: host,
            path: path,
            query: request.query,
            fields: request.fields,
            payload: Self.digest(of: request.body),
            at: .now
        )
        let query = request.query.isEmpty ? "" : "?\(S3Signer.escaped(request.query))"
        var message = HTTPClientRequest(url: "\(scheme)://\(host)\(S3Signer.escaped(path, except: "/"))\(query)")
        message.method = request.method
        message.headers = HTTPHeaders(fields.map { ($0.name, $0.value) })
        switch request.body {
        case .data(let data):
            message.body = data.isEmpty && ![.PUT, .POST].contains(request.method) ? nil : .bytes(data)
        case .file(let file, let range, _):
            message.body = .stream(file.bytes(in: range), length: .known(Int64(range.count)))
        }
        return message
    }

    private static func digest(of body: S3Request.Body) -> String {
        switch body {
        case .data(let data): Crypto.SHA256.hash(data: data).hexadecimalText
        case .file(_, _, let hash): hash.text
        }
    }

    /// Runs a part of a request, whose errors become ``S3Failure``.
    static func translating<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error where Task.isCancelled || error is CancellationError {
            throw CancellationError()
        } catch let error as HubError {
            // The file of this machine that is being sent cannot be read.
            throw error
        } catch is NIOTooManyBytesError {
            throw S3Failure.invalidReply(reason: "an answer of more than \(S3Reply.limit >> 20) MiB")
        } catch {
            throw S3Failure.unreachable(reason: "\(error)")
        }
    }
}
