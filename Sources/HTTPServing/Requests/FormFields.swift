/// Parses the fields of queries and forms (`application/x-www-form-urlencoded`).
package enum FormFields {
    /// The maximum number of fields in a query or form.
    private static let limit = 1000

    /// The fields by name; for several fields with a name, the last one.
    ///
    /// - Throws: As for the list of fields.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(RequestError) -> [String: String] {
        Dictionary(try list(bytes).map { ($0.name, $0.value) }) { _, last in last }
    }

    /// The fields in their order.
    ///
    /// The parser reads each byte once.
    ///
    /// - Throws: `.malformed` if an escape is malformed, if the text is not UTF-8 or contains a NUL, or if there
    ///   are too many fields.
    package static func list(_ bytes: ArraySlice<UInt8>) throws(RequestError) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var name: String?
        var text: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "&"):
                try end()
                index += 1
            case UInt8(ascii: "=") where name == nil:
                name = try take()
                index += 1
            case UInt8(ascii: "+"):
                text.append(UInt8(ascii: " "))
                index += 1
            default:
                text.append(try PercentEncoding.next(bytes, &index).value)
            }
        }
        try end()
        return fields

        func take() throws(RequestError) -> String {
            guard let string = String(validating: text, as: UTF8.self) else { throw .malformed }
            text.removeAll(keepingCapacity: true)
            return string
        }

        func end() throws(RequestError) {
            guard name != nil || !text.isEmpty else { return }
            guard fields.count < limit else { throw .malformed }
            let last = try take()
            fields.append(name.map { ($0, last) } ?? (last, ""))
            name = nil
        }
    }
}

/// Percent-encoding of URLs (RFC 3986, section 2).
enum PercentEncoding {
    static let escape = UInt8(ascii: "%")

    /// The byte at an index, decoded if it is escaped; advances the index.
    ///
    /// - Throws: `.malformed` if the escape is malformed, or if the byte is NUL, which ends C strings.
    static func next(
        _ bytes: ArraySlice<UInt8>,
        _ index: inout Int
    ) throws(RequestError) -> (value: UInt8, isEscaped: Bool) {
        var value = bytes[index]
        let isEscaped = value == escape
        if isEscaped {
            guard bytes.endIndex - index > 2, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
            else { throw .malformed }
            value = high << 4 | low
        }
        guard value != 0 else { throw .malformed }
        index += isEscaped ? 3 : 1
        return (value, isEscaped)
    }

    /// The bytes of a text with escapes.
    static func decoded(_ text: some StringProtocol) throws(RequestError) -> [UInt8] {
        let bytes = Array(text.utf8)[...]
        var decoded: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex { decoded.append(try next(bytes, &index).value) }
        return decoded
    }

    /// Whether a byte never needs an escape.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
