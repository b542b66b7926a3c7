import Foundation
import NIOCore

/// Takes the multipart/form-data body of a form apart as it arrives (RFC 7578).
///
/// Files are passed on as they come; of what has arrived, no more is kept than the boundary is long.
struct FormDataReader {
    /// What a field is called, and the name of its file, if it is one.
    struct Field: Sendable, Hashable {
        var name: String
        var fileName: String?
    }

    private enum State {
        case preamble, head, content(Field), end
    }

    private let delimiter: [UInt8]
    private var state = State.preamble
    private var waiting = ByteBuffer()
    private var fieldCount = 0

    /// How long the head of a field may be.
    private static let headLimit = 16 << 10
    /// How many fields a form may have.
    private static let fieldLimit = 100
    private static let emptyLine = Array("\r\n\r\n".utf8)

    /// - Parameter contentType: the request's, with its boundary.
    init(contentType: String) throws(HubError) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let start = contentType.range(of: "boundary=", options: .caseInsensitive)
        else { throw Self.malformed }
        var boundary = contentType[start.upperBound...].prefix { $0 != ";" }
        if boundary.first == "\"" { boundary = boundary.dropFirst().prefix { $0 != "\"" } }
        guard (1...70).contains(boundary.utf8.count) else { throw Self.malformed }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line before it that could end.
        waiting.writeBytes([13, 10])
    }

    /// Takes the next piece of the body; `output` gets the content of fields, in pieces, and at least once for each.
    mutating func consume(_ piece: ByteBuffer, _ output: (Field, ByteBuffer) throws -> Void) throws {
        waiting.writeImmutableBuffer(piece)
        while true {
            switch state {
            case .preamble:
                guard let index = position(of: delimiter) else { return try checkHead() }
                waiting.moveReaderIndex(forwardBy: index + delimiter.count)
                state = .head
            case .head:
                // Behind a delimiter comes "--" at the end of the form, or else a line with nothing on it.
                if waiting.readableBytesView.starts(with: Array("--".utf8)) {
                    state = .end
                    continue
                }
                guard let index = position(of: Self.emptyLine) else { return try checkHead() }
                let head = waiting.readString(length: index) ?? ""
                waiting.moveReaderIndex(forwardBy: Self.emptyLine.count)
                fieldCount += 1
                guard fieldCount <= Self.fieldLimit, let field = Self.field(head) else { throw Self.malformed }
                state = .content(field)
                try output(field, ByteBuffer())
            case .content(let field):
                if let index = position(of: delimiter) {
                    if let rest = waiting.readSlice(length: index) { try output(field, rest) }
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

    /// To be called behind the last piece.
    ///
    /// - Throws: `.invalidArgument` if the form broke off.
    func finish() throws(HubError) {
        guard case .end = state else {
            throw HubError(.invalidArgument, "The upload broke off before its end; send it again.")
        }
    }

    private func checkHead() throws(HubError) {
        guard waiting.readableBytes <= Self.headLimit else { throw Self.malformed }
    }

    /// Where bytes that begin with a carriage return are, counted from the reader index; nil if they are not there.
    ///
    /// The raw bytes are sound: both buffers live as long as the call, and no comparison goes beyond the end of the first.
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
        // A carriage return and a line feed are one character to Swift.
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

    private static let malformed = HubError(.invalidArgument, "The form is malformed; load the page again.")
}
