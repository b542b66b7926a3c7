extension JSONText {
    /// Returns a document without white space as JSON with line breaks, an indentation of two spaces for each level, and a space on
    /// either side of a colon, as Foundation writes it at a much higher cost.
    package static func indented(_ document: String) -> String {
        var lines: [UInt8] = []
        lines.reserveCapacity(document.utf8.count * 2)
        var depth = 0
        var (isInText, isEscaped) = (false, false)
        var last: UInt8 = 0
        func breakLine() {
            lines.append(UInt8(ascii: "\n"))
            lines.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(depth, 0) * 2))
        }
        for byte in document.utf8 {
            defer { last = byte }
            if isInText {
                lines.append(byte)
                if byte == UInt8(ascii: "\""), !isEscaped { isInText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if last == UInt8(ascii: "{") || last == UInt8(ascii: "[") { breakLine() }
                lines.append(byte)
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { breakLine() }
                lines.append(byte)
            case UInt8(ascii: ","):
                lines.append(byte)
                breakLine()
            case UInt8(ascii: ":"): lines += " : ".utf8
            default:
                if last == UInt8(ascii: "{") || last == UInt8(ascii: "[") { breakLine() }
                lines.append(byte)
                isInText = byte == UInt8(ascii: "\"")
            }
        }
        return String(decoding: lines, as: UTF8.self)
    }
}
