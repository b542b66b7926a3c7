#if !canImport(Network)
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOHTTP1

    /// An exchange with a hub, over AsyncHTTPClient: a response whose body has not arrived yet.
    struct HubExchange: Sendable {
        /// The status of the response.
        let status: Int
        /// The fields of the response.
        let headers: HeaderFields
        private let body: HTTPClientResponse.Body

        /// Sends a request.
        ///
        /// - Parameters:
        ///   - roots: A PEM file of certificates to trust in addition to those of the system.
        ///   - idleTimeout: The longest time without data from the hub.
        ///   - timeout: The longest time until the body ends.
        /// - Throws: ``UnusableSettings``, or the error of the connection.
        static func open(
            _ request: HubRequest,
            trusting roots: URL?,
            idleTimeout: Duration,
            timeout: Duration
        ) async throws -> HubExchange {
            let client = try HTTPClients.client(for: request.url, trusting: roots, idleTimeout: TimeAmount(idleTimeout))
            var message = HTTPClientRequest(url: request.url.absoluteString)
            message.method = HTTPMethod(rawValue: request.method.name)
            for field in request.headers.list { message.headers.add(name: field.name, value: field.value) }
            if let body = request.body { message.body = .bytes(body) }
            let response = try await client.execute(message, timeout: TimeAmount(timeout))
            return HubExchange(
                status: Int(response.status.code),
                headers: HeaderFields(response.headers.lazy.map { (name: $0.name, value: $0.value) }),
                body: response.body
            )
        }

        /// The pieces of the body, in order, for one reader.
        func pieces() -> Pieces { Pieces(iterator: body.makeAsyncIterator()) }

        /// Reads a body as it arrives.
        struct Pieces {
            fileprivate var iterator: HTTPClientResponse.Body.AsyncIterator

            /// The next bytes; nil at the end.
            mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> HubPiece? {
                try await iterator.next(isolation: isolation).map(HubPiece.init)
            }
        }
    }

    /// Some bytes of a body.
    struct HubPiece: Sendable {
        fileprivate let buffer: ByteBuffer

        func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            buffer.withUnsafeReadableBytes(body)
        }
    }
#endif
