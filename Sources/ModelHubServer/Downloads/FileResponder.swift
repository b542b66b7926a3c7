import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore

/// Responds with the contents of a file, or a part of it.
///
/// Over a plain connection the kernel sends a local file to the socket. Over TLS, or if the file is elsewhere, the hub
/// reads it in pieces, never more than the connection accepts.
struct FileResponder: Sendable {
    /// Set if connections are plain.
    let sendings: FileSendings?
    private let openFiles = OpenFiles()

    /// - Parameter sendings: The files that connections send directly, if connections are plain.
    init(sendings: FileSendings?) { self.sendings = sendings }

    func response(for hash: BlobHash, in blobs: any BlobStore, to request: APIRequest) async throws -> Response {
        var headers: HTTPFields = [
            .eTag: EntityTag.quoted(hash.text), .acceptRanges: "bytes", .contentType: "application/octet-stream",
            .cacheControl: "private, max-age=3600, immutable",
        ]
        // It comes before the others (RFC 9110, section 13.2.2).
        if let condition = request.headers[.ifMatch], !EntityTag.list(condition, contains: hash.text) {
            return Response(status: .preconditionFailed, headers: headers)
        }
        if request.matches(hash.text) { return .empty(.notModified, headers: headers) }
        let file = try await openFiles.open(hash, in: blobs)
        // The range refers to the file with this hash; a client with parts of another file receives the whole file.
        var isRangeWanted = true
        if let condition = request.headers[.ifRange] {
            isRangeWanted = [EntityTag.quoted(hash.text), hash.text].contains(condition)
        }
        let part: Range<Int>
        let code: HTTPResponse.Status
        switch ByteRange(header: isRangeWanted ? request.headers[.range] : nil, byteCount: file.byteCount) {
        case .whole: (part, code) = (0..<file.byteCount, .ok)
        case .part(let range):
            (part, code) = (range, .partialContent)
            headers[.contentRange] = "\(ContentRange(range, of: file.byteCount))"
        case .unsatisfiable:
            headers[.contentRange] = "\(ContentRange(nil, of: file.byteCount))"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers[.contentLength] = "\(part.count)"
        if request.method == .head || part.isEmpty { return Response(status: code, headers: headers) }
        guard let sendings, let local = file.local else {
            return Response(status: code, headers: headers, body: Self.body(of: file, part))
        }
        headers[.sentFile] = sendings.add(local, part)
        let body = ResponseBody(contentLength: part.count) { writer in try await writer.finish(nil) }
        return Response(status: code, headers: headers, body: body)
    }

    /// Reads the file as fast as the connection accepts it.
    private static func body(of file: StoredFile, _ part: Range<Int>) -> ResponseBody {
        ResponseBody(contentLength: part.count) { writer in
            for try await piece in file.bytes(in: part) { try await writer.write(piece) }
            try await writer.finish(nil)
        }
    }
}
