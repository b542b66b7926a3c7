import Foundation
import HTTPServing
import NIOCore

/// Parses a multipart/related body as it arrives: the object's description in JSON, then its bytes (RFC 2387).
///
/// The bytes are passed on as they arrive, except for the last bytes, which may belong to the end of the body.
struct MultipartUpload {
    private enum State {
        case beforeDescription, description, beforeContent, content
    }

    private let delimiter: [UInt8]
    private var state = State.beforeDescription
    private var waiting = ByteBuffer()
    private(set) var description = Data()
    private(set) var contentType: String?

    /// The maximum length of the description and the headers.
    private static let headLimit = 64 << 10
    private static let lineEnd: [UInt8] = [13, 10]

    /// - Parameter contentType: The content type of the request, with its boundary.
    init(contentType: String) throws(HubError) {
        let malformed = HubError(
            .invalidArgument,
            "A multipart upload needs a Content-Type with a boundary of 1 to 70 characters."
        )
        let type = HeaderParameters(contentType)
        guard type.value.hasPrefix("multipart/"), var boundary = type["boundary"] else { throw malformed }
        // Both kinds of quotes occur in the field.
        if boundary.count > 2, boundary.first == "'", boundary.last == "'" {
            boundary = String(boundary.dropFirst().dropLast())
        }
        guard (1...70).contains(boundary.utf8.count) else { throw malformed }
        delimiter = Array("--\(boundary)".utf8)
    }

    /// Consumes the next piece of the body and passes its contents to `output`.
    mutating func consume(_ piece: ByteBuffer, _ output: (ByteBuffer) throws -> Void) throws {
        waiting.writeImmutableBuffer(piece)
        while true {
            switch state {
            case .beforeDescription:
                guard try headers() != nil else { return }
                state = .description
            case .description:
                guard let end = waiting.readableBytesView.firstRange(of: Self.lineEnd + delimiter) else {
                    return try checkHead()
                }
                let count = end.lowerBound - waiting.readerIndex
                description = Data(waiting.readBytes(length: count) ?? [])
                waiting.moveReaderIndex(forwardBy: Self.lineEnd.count)
                state = .beforeContent
            case .beforeContent:
                guard let lines = try headers() else { return }
                let prefix = "content-type:"
                contentType = lines.first { $0.lowercased().hasPrefix(prefix) }
                    .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
                state = .content
            case .content:
                let kept = delimiter.count + 8
                if waiting.readableBytes > kept, let part = waiting.readSlice(length: waiting.readableBytes - kept) {
                    try output(part)
                }
                waiting.discardReadBytes()
                return
            }
        }
    }

    /// Checks that the body is complete, and passes the rest of the contents to `output`.
    mutating func finish(_ output: (ByteBuffer) throws -> Void) throws {
        guard case .content = state,
            let end = waiting.readableBytesView.lastRange(of: Self.lineEnd + delimiter + [45, 45]),
            let rest = waiting.readSlice(length: end.lowerBound - waiting.readerIndex)
        else {
            throw HubError(.invalidArgument, "The multipart upload is incomplete; send it again.")
        }
        try output(rest)
    }

    /// The boundary and the lines of a part's head, when all of them have arrived.
    private mutating func headers() throws(HubError) -> [String]? {
        guard let end = waiting.readableBytesView.firstRange(of: Self.lineEnd + Self.lineEnd) else {
            try checkHead()
            return nil
        }
        let text = String(decoding: waiting.readableBytesView[..<end.lowerBound], as: UTF8.self)
        waiting.moveReaderIndex(to: end.upperBound)
        let lines = text.components(separatedBy: "\r\n").drop { $0.isEmpty }
        guard let boundary = lines.first, boundary.trimmingCharacters(in: .whitespaces).utf8.elementsEqual(delimiter)
        else {
            throw HubError(.invalidArgument, "The multipart upload does not begin with its boundary; send it again.")
        }
        return Array(lines.dropFirst())
    }

    private func checkHead() throws(HubError) {
        guard waiting.readableBytes <= Self.headLimit else {
            throw HubError(.invalidArgument, "The description of the upload is longer than \(Self.headLimit) bytes.")
        }
    }
}

extension ByteBufferView {
    fileprivate func firstRange(of pattern: [UInt8]) -> Range<Int>? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first), endIndex - found >= pattern.count {
            if self[found..<found + pattern.count].elementsEqual(pattern) { return found..<found + pattern.count }
            start = found + 1
        }
        return nil
    }

    fileprivate func lastRange(of pattern: [UInt8]) -> Range<Int>? {
        guard count >= pattern.count else { return nil }
        return (startIndex...endIndex - pattern.count).reversed().lazy
            .first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
            .map { $0..<$0 + pattern.count }
    }
}
