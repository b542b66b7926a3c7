import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// Responds with the contents of a file, or a part of it.
///
/// Over a plain connection the kernel sends the file to the socket. Over TLS the hub reads the file in pieces and
/// encrypts them, never more than the connection accepts.
struct FileResponder: Sendable {
    /// Set if connections are plain.
    let sendings: FileSendings?
    private let openFiles = OpenFiles()

    /// - Parameter sendings: The files that connections send by themselves, if connections are plain.
    init(sendings: FileSendings?) { self.sendings = sendings }

    func response(for hash: BlobHash, in blobs: any BlobStore, to request: APIRequest) async throws -> Response {
        var headers: HTTPFields = [
            .eTag: "\"\(hash)\"", .acceptRanges: "bytes", .contentType: "application/octet-stream",
            .cacheControl: "private, max-age=3600, immutable",
        ]
        if request.matches(hash.text) { return .empty(.notModified, headers: headers) }
        let file = try await openFile(hash, in: blobs)
        // The range refers to the file with this hash; a client with parts of another file receives the whole file.
        var isRangeWanted = true
        if let condition = request.headers[.ifRange] {
            isRangeWanted = condition == "\"\(hash)\"" || condition == hash.text
        }
        let part: Range<Int>
        let code: HTTPResponse.Status
        switch ByteRange(header: isRangeWanted ? request.headers[.range] : nil, byteCount: file.byteCount) {
        case .whole: (part, code) = (0..<file.byteCount, .ok)
        case .part(let range):
            (part, code) = (range, .partialContent)
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.byteCount)"
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

    /// The open file for a hash. If it is not open yet, a thread that may wait for the disk opens it. That thread does
    /// not belong to ``BlockingExecutor``, so that downloads do not wait for long work.
    private func openFile(_ hash: BlobHash, in blobs: any BlobStore) async throws -> ReadFile {
        if let file = openFiles[hash] { return file }
        return try await NIOThreadPool.singleton.runIfActive { try openFiles.open(hash, in: blobs) }
    }

    private static let pieceSize = 128 << 10

    /// Reads the file as fast as the connection accepts it.
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
