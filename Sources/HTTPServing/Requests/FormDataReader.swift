import Foundation
import NIOCore

/// Parses the multipart/form-data body of a form as it arrives (RFC 7578), with the line ends of the Internet or of Unix.
///
/// Files are passed on as they arrive; the reader keeps at most the length of the boundary.
package struct FormDataReader {
    /// The name of a field, and its file name if it is a file.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var fileName: String?
    }

    private enum State {
        case preamble, head, content(Field), end
    }

    /// A line with the boundary.
    private struct Delimiter {
        /// The bytes before it, without the line end that belongs to it.
        var contentLength: Int
        /// The bytes to its end.
        var length: Int
        var isLast: Bool
    }

    /// A line feed and the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var waiting = ByteBuffer()
    private var fieldCount = 0
    /// The lines of a field's head, as far as they have arrived, and their bytes.
    private var head: (lines: [String], byteCount: Int) = ([], 0)

    /// The maximum length of a field's head, and of what precedes the form.
    private static let headLimit = 16 << 10
    /// The maximum number of fields in a form.
    private static let fieldLimit = 100
    /// The maximum number of blanks after a boundary.
    private static let paddingLimit = 80

    /// - Parameter contentType: The content type of the request, with its boundary.
    package init(contentType: String) throws(RequestError) {
        let type = HeaderParameters(contentType)
        guard type.value == "multipart/form-data", let boundary = type["boundary"],
            (1...70).contains(boundary.utf8.count)
        else { throw .malformedForm }
        delimiter = Array("\n--\(boundary)".utf8)
        // The first delimiter is not preceded by a line end.
        waiting.writeBytes([10])
    }

    /// Consumes the next piece of the body; `output` receives the contents of fields in pieces. The first piece of a field,
    /// and no other, is empty.
    package mutating func consume(_ piece: ByteBuffer, _ output: (Field, ByteBuffer) throws -> Void) throws {
        waiting.writeImmutableBuffer(piece)
        while true {
            switch state {
            case .preamble:
                guard let next = nextDelimiter() else { return try checkHead() }
                waiting.moveReaderIndex(forwardBy: next.length)
                state = next.isLast ? .end : .head
            case .head:
                guard let line = nextLine() else { return try checkHead() }
                guard line.isEmpty else {
                    try addToHead(line)
                    continue
                }
                fieldCount += 1
                guard fieldCount <= Self.fieldLimit, let field = Self.field(head.lines) else {
                    throw RequestError.malformedForm
                }
                head = ([], 0)
                state = .content(field)
                try output(field, ByteBuffer())
            case .content(let field):
                if let next = nextDelimiter() {
                    if next.contentLength > 0, let rest = waiting.readSlice(length: next.contentLength) {
                        try output(field, rest)
                    }
                    waiting.moveReaderIndex(forwardBy: next.length - next.contentLength)
                    state = next.isLast ? .end : .head
                    continue
                }
                // A delimiter that has not arrived as a whole, and the carriage return before it.
                let count = waiting.readableBytes - delimiter.count - Self.paddingLimit - 3
                if count > 0, let part = waiting.readSlice(length: count) { try output(field, part) }
                waiting.discardReadBytes()
                return
            case .end:
                waiting.clear()
                return
            }
        }
    }

    /// Must be called after the last piece.
    ///
    /// - Throws: `.incompleteBody` if the form is incomplete.
    package func finish() throws(RequestError) {
        guard case .end = state else {
            throw .incompleteBody
        }
    }

    private func checkHead() throws(RequestError) {
        guard waiting.readableBytes <= Self.headLimit else { throw .malformedForm }
    }

    /// Adds a line, which continues the one before if it begins with a blank.
    private mutating func addToHead(_ line: String) throws(RequestError) {
        head.byteCount += line.utf8.count + 1
        guard head.byteCount <= Self.headLimit else { throw .malformedForm }
        if line.first?.isWhitespace == true, let last = head.lines.indices.last {
            head.lines[last] += line
        } else {
            head.lines.append(line)
        }
    }

    /// The next line of a head, without its end; nil if it has not arrived.
    private mutating func nextLine() -> String? {
        guard let end = waiting.readableBytesView.firstIndex(of: 10),
            let line = waiting.readString(length: end - waiting.readerIndex)
        else { return nil }
        waiting.moveReaderIndex(forwardBy: 1)
        // In Swift a carriage return and a line feed are a single character.
        return line.last == "\r" ? String(line.dropLast()) : line
    }

    /// The next line that consists of the boundary; nil if it has not arrived as a whole.
    private func nextDelimiter() -> Delimiter? {
        var offset = 0
        while let start = position(of: delimiter, from: offset) {
            if let next = delimiterLine(at: start) { return next }
            offset = start + 1
        }
        return nil
    }

    /// The line with the boundary that begins after a line feed; nil if other bytes follow, or has not arrived as a whole.
    private func delimiterLine(at start: Int) -> Delimiter? {
        let bytes = waiting.readableBytesView.dropFirst(start + delimiter.count)
        let hasReturn = start > 0 && waiting.getInteger(at: waiting.readerIndex + start - 1, as: UInt8.self) == 13
        let contentLength = hasReturn ? start - 1 : start
        let length = start + delimiter.count
        if bytes.starts(with: Array("--".utf8)) {
            return Delimiter(contentLength: contentLength, length: length + 2, isLast: true)
        }
        let padding = bytes.prefix(Self.paddingLimit).prefix { $0 == 32 || $0 == 9 }.count
        let end = bytes.dropFirst(padding)
        for lineEnd in [[13, 10], [10]] as [[UInt8]] where end.starts(with: lineEnd) {
            return Delimiter(contentLength: contentLength, length: length + padding + lineEnd.count, isLast: false)
        }
        return nil
    }

    /// The position of bytes that begin with a line feed, from an offset behind the reader index on; nil if they are not found.
    ///
    /// The raw bytes are used safely: both buffers live as long as the call, and no comparison goes beyond the end of
    /// the first.
    private func position(of bytes: [UInt8], from offset: Int) -> Int? {
        waiting.withUnsafeReadableBytes { buffer in
            bytes.withUnsafeBytes { pattern in
                guard let base = buffer.baseAddress, let sought = pattern.baseAddress else { return nil }
                var offset = offset
                while buffer.count - offset >= pattern.count,
                    let found = memchr(base + offset, 10, buffer.count - offset - pattern.count + 1)
                {
                    offset = UnsafeRawPointer(found) - base
                    if memcmp(found, sought, pattern.count) == 0 { return offset }
                    offset += 1
                }
                return nil
            }
        }
    }

    /// Reads `Content-Disposition: form-data; name="…"; filename="…"`. Browsers write quotes in names as %22.
    private static func field(_ lines: [String]) -> Field? {
        let prefix = "content-disposition:"
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return nil }
        let disposition = HeaderParameters(line.dropFirst(prefix.count))
        guard let name = disposition["name"] else { return nil }
        return Field(name: unescaped(name), fileName: disposition["filename"].map(unescaped))
    }

    private static func unescaped(_ text: String) -> String { text.replacingOccurrences(of: "%22", with: "\"") }
}
