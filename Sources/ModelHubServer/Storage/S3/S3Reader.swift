import AsyncHTTPClient
import Foundation
import ModelHubProtocol
import NIOCore

/// Reads a part of an object. If the connection ends, or is silent for too long, the next request continues at the next
/// byte.
actor S3Reader {
    private let client: S3Client
    private let key: String
    private let end: Int
    private var position: Int
    private var body: HTTPClientResponse.Body.AsyncIterator?

    private init(_ client: S3Client, _ key: String, _ range: Range<Int>) {
        self.client = client
        self.key = key
        position = range.lowerBound
        end = range.upperBound
    }

    /// An object as a file.
    static func file(_ key: String, byteCount: Int, _ client: S3Client) -> StoredFile {
        StoredFile(byteCount: byteCount) { range in
            let reader = S3Reader(client, key, range)
            return StoredFile.Bytes { try await reader.next() }
        }
    }

    /// The next bytes; nil at the end.
    private func next() async throws -> ByteBuffer? {
        guard position < end else { return nil }
        let piece = try await client.missingKeyIsFailure {
            try await client.repeating { try await self.attempt() }
        }
        position += piece.readableBytes
        return piece
    }

    private func attempt() async throws -> ByteBuffer {
        // A failed attempt leaves no body, so that the next attempt opens another.
        var body = if let body { body } else { try await open() }
        self.body = nil
        let piece = try await S3Client.translating { try await body.next() }
        guard var piece, piece.readableBytes > 0 else {
            throw S3Failure.unreachable(reason: "the object ended after \(position) bytes")
        }
        if piece.readableBytes > end - position {
            piece = piece.getSlice(at: piece.readerIndex, length: end - position) ?? piece
        }
        self.body = body
        return piece
    }

    private func open() async throws -> HTTPClientResponse.Body.AsyncIterator {
        let request = S3Request(key: client.location.prefix + key, fields: [("range", "bytes=\(position)-\(end - 1)")])
        let response = try await client.open(request)
        let range = response.headers.first(name: "content-range").flatMap { ContentRange($0) }
        // A server may send the whole object instead of a part that begins at its first byte.
        guard range?.part?.lowerBound == position || response.status == .ok && position == 0 else {
            throw S3Failure.invalidReply(reason: "an answer with another range")
        }
        return response.body.makeAsyncIterator()
    }
}
