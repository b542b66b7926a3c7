/// Writes values as ``ConditionScanner`` reads them.
enum ConditionText {
    /// A text in single quotes. Quotes and backslashes are escaped as bytes, because the scanner reads bytes: a combining
    /// mark behind a quote does not hide it.
    static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }

    /// Texts in brackets.
    static func list(_ values: [String]) -> String { "[" + values.map(quoted).joined(separator: ", ") + "]" }

    /// A number without an exponent, which the language does not have. The digits are the fewest that give the same
    /// number when they are read again.
    static func number(_ value: Double) -> String {
        let text = "\(value)"
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else {
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        let sign = value < 0 ? "-" : ""
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        let digits = mantissa[0] + fraction
        // The number of digits before the point.
        let place = mantissa[0].count + exponent
        if place <= 0 { return "\(sign)0.\(String(repeating: "0", count: -place))\(digits)" }
        if place >= digits.count { return sign + digits + String(repeating: "0", count: place - digits.count) }
        return "\(sign)\(digits.prefix(place)).\(digits.dropFirst(place))"
    }
}
