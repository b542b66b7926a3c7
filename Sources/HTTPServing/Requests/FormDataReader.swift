import Foundation
import NIOCore

/// Parses the multipart/form-data body of a form as it arrives (RFC 7578).
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

    private let delimiter: [UInt8]
    private var state = State.preamble
    private var waiting = ByteBuffer()
    private var fieldCount = 0

    /// The maximum length of a field's head.
    private static let headLimit = 16 << 10
    /// The maximum number of fields in a form.
    private static let fieldLimit = 100
    private static let emptyLine = Array("\r\n\r\n".utf8)

    /// - Parameter contentType: The content type of the request, with its boundary.
    package init(contentType: String) throws(RequestError) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let start = contentType.range(of: "boundary=", options: .caseInsensitive)
        else { throw .malformedForm }
        var boundary = contentType[start.upperBound...].prefix { $0 != ";" }
        if boundary.first == "\"" { boundary = boundary.dropFirst().prefix { $0 != "\"" } }
        guard (1...70).contains(boundary.utf8.count) else { throw .malformedForm }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter is not preceded by a line end.
        waiting.writeBytes([13, 10])
    }

    /// Consumes the next piece of the body; `output` receives the contents of fields in pieces. The first piece of a field,
    /// and no other, is empty.
    package mutating func consume(_ piece: ByteBuffer, _ output: (Field, ByteBuffer) throws -> Void) throws {
        waiting.writeImmutableBuffer(piece)
        while true {
            switch state {
            case .preamble:
                guard let index = position(of: delimiter) else { return try checkHead() }
                waiting.moveReaderIndex(forwardBy: index + delimiter.count)
                state = .head
            case .head:
                // After a delimiter follows "--" at the end of the form, otherwise an empty line.
                if waiting.readableBytesView.starts(with: Array("--".utf8)) {
                    state = .end
                    continue
                }
                guard let index = position(of: Self.emptyLine) else { return try checkHead() }
                let head = waiting.readString(length: index) ?? ""
                waiting.moveReaderIndex(forwardBy: Self.emptyLine.count)
                fieldCount += 1
                guard fieldCount <= Self.fieldLimit, let field = Self.field(head) else {
                    throw RequestError.malformedForm
                }
                state = .content(field)
                try output(field, ByteBuffer())
            case .content(let field):
                if let index = position(of: delimiter) {
                    if index > 0, let rest = waiting.readSlice(length: index) { try output(field, rest) }
                    waiting.moveReaderIndex(forwardBy: delimiter.count)
                    state = .head
                    continue
                }
                let count = waiting.readableBytes - delimiter.count
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

    /// The position of bytes that begin with a carriage return, from the reader index on; nil if they are not found.
    ///
    /// The raw bytes are used safely: both buffers live as long as the call, and no comparison goes beyond the end of
    /// the first.
    private func position(of bytes: [UInt8]) -> Int? {
        waiting.withUnsafeReadableBytes { buffer in
            bytes.withUnsafeBytes { pattern in
                guard let base = buffer.baseAddress, let sought = pattern.baseAddress else { return nil }
                var offset = 0
                while buffer.count - offset >= pattern.count,
                    let found = memchr(base + offset, 13, buffer.count - offset - pattern.count + 1)
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
    private static func field(_ head: String) -> Field? {
        let prefix = "content-disposition:"
        // In Swift a carriage return and a line feed are a single character.
        guard
            let line = head.split(whereSeparator: \.isNewline).first(where: { $0.lowercased().hasPrefix(prefix) }),
            let name = value(of: "name", in: line)
        else { return nil }
        return Field(name: name, fileName: value(of: "filename", in: line))
    }

    private static func value(of key: String, in line: Substring) -> String? {
        guard let start = line.range(of: "; \(key)=\"", options: .caseInsensitive) else { return nil }
        let rest = line[start.upperBound...]
        guard let end = rest.firstIndex(of: "\"") else { return nil }
        return rest[..<end].replacingOccurrences(of: "%22", with: "\"")
    }
}
