import Foundation
import HTTPTypes
import NIOCore

extension APIRequest {
    /// The maximum duration for receiving a body that is not a file.
    private static let smallBodyTime = Duration.seconds(30)

    /// The maximum size of a body that is not a file in bytes.
    package static let smallBodyLimit = 1 << 20

    /// The whole body, inflated if it is gzip. It must be small and arrive in time; the limit applies before and after
    /// inflating.
    ///
    /// - Throws: `RequestError.tooLarge`, `.tooSlow` or `.invalidGzip`, and the errors of the connection.
    package func smallBody(upTo limit: Int = smallBodyLimit) async throws -> ByteBuffer {
        let end = ContinuousClock.now + Self.smallBodyTime
        var whole = ByteBuffer()
        try checkLength(limit)
        for try await piece in body {
            guard whole.readableBytes + piece.readableBytes <= limit else { throw RequestError.tooLarge(limit: limit) }
            guard ContinuousClock.now < end else { throw RequestError.tooSlow }
            whole.writeImmutableBuffer(piece)
        }
        charge(byteCount: whole.readableBytes)
        guard Gzip.isCompressed(whole) else { return whole }
        guard let content = Gzip.inflated(whole, limit: limit) else { throw RequestError.invalidGzip(limit: limit) }
        charge(byteCount: max(content.readableBytes - whole.readableBytes, 0))
        return content
    }

    /// The body as the fields of a form.
    ///
    /// - Throws: The errors of ``smallBody(upTo:)``, and `RequestError.malformed`.
    package func form(upTo limit: Int) async throws -> [String: String] {
        try FormFields.parse(Array(try await smallBody(upTo: limit).readableBytesView)[...])
    }

    /// The body as JSON.
    ///
    /// - Throws: The errors of ``smallBody(upTo:)``, and `RequestError.invalidJSON`.
    package func json<Value: Decodable>(_ type: Value.Type, upTo limit: Int = smallBodyLimit) async throws -> Value {
        let buffer = try await smallBody(upTo: limit)
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch {
            throw RequestError.invalidJSON
        }
    }

    /// Rejects a body whose declared length exceeds a limit before reading it.
    package func checkLength(_ limit: Int) throws(RequestError) {
        if let text = headers[.contentLength], let length = Int(text), length > limit { throw .tooLarge(limit: limit) }
    }
}
