import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// Answers with the content of a file, or a part of it.
///
/// Over a plain connection the kernel sends it from the file to the socket. Under TLS it must be encrypted on the way and
/// is read in pieces, never more of it than the connection takes.
struct FileResponder: Sendable {
    /// Set where connections are plain.
    let sendings: FileSendings?

    func response(for url: URL, hash: BlobHash, to request: APIRequest) async throws -> Response {
        // The range given here names the hash; a client that has parts of another file gets all of this one.
        let file = ReadFile(try SystemCalls.openRegularFile(url.path))
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw SystemCalls.failure("read the model's file", errno) }
        let byteCount = Int(status.st_size)

        var headers: HTTPFields = [
            .eTag: "\"\(hash)\"", .acceptRanges: "bytes", .contentType: "application/octet-stream",
            .cacheControl: "private, max-age=3600, immutable",
        ]
        if request.matches(hash.text) { return .empty(.notModified, headers: headers) }
        var isRangeWanted = true
        if let condition = request.headers[.ifRange] {
            isRangeWanted = condition == "\"\(hash)\"" || condition == hash.text
        }
        let part: Range<Int>
        let code: HTTPResponse.Status
        switch ByteRange(header: isRangeWanted ? request.headers[.range] : nil, byteCount: byteCount) {
        case .whole: (part, code) = (0..<byteCount, .ok)
        case .part(let range):
            (part, code) = (range, .partialContent)
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(byteCount)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers[.contentLength] = "\(part.count)"
        if request.method == .head || part.isEmpty { return Response(status: code, headers: headers) }
        guard let sendings else {
            return Response(status: code, headers: headers, body: Self.body(of: file, part))
        }
        headers[.sentFile] = sendings.add(file, part)
        let body = ResponseBody(contentLength: part.count) { writer in try await writer.finish(nil) }
        return Response(status: code, headers: headers, body: body)
    }

    private static let pieceSize = 128 << 10

    /// Reads the file as the connection takes it.
    private static func body(of file: ReadFile, _ part: Range<Int>) -> ResponseBody {
        ResponseBody(contentLength: part.count) { writer in
            var position = part.lowerBound
            while position < part.upperBound {
                let count = min(pieceSize, part.upperBound - position)
                let piece = try await NIOThreadPool.singleton.runIfActive { [position] in
                    try file.read(count, at: position)
                }
                try await writer.write(piece)
                position += piece.readableBytes
            }
            try await writer.finish(nil)
        }
    }
}

/// A file that is open for reading, closed with its last user.
final class ReadFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads at least one byte.
    ///
    /// The raw bytes are sound: the system writes at most as many as the buffer is said to have room for.
    func read(_ count: Int, at position: Int) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            let read = pread(descriptor, bytes.baseAddress, count, off_t(position))
            guard read > 0 else { throw SystemCalls.failure("read the model's file", errno) }
            return read
        }
        guard read > 0 else { throw SystemCalls.failure("read the model's file", EIO) }
        return buffer
    }
}
