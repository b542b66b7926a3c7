/// Writes JSON by hand where that is much faster.
enum JSONText {
    /// JSON with line breaks and an indentation of two spaces per level, and with a space on either side of a colon, as
    /// written by Foundation.
    static func pretty(_ text: String) -> String {
        var lines: [UInt8] = []
        lines.reserveCapacity(text.utf8.count * 2)
        var depth = 0
        var (isInText, isEscaped) = (false, false)
        var last: UInt8 = 0
        func breakLine() {
            lines.append(UInt8(ascii: "\n"))
            lines.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(depth, 0) * 2))
        }
        for byte in text.utf8 {
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
