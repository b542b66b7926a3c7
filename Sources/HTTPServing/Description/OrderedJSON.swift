/// A value of JSON whose fields keep their order.
package indirect enum OrderedJSON: Sendable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case list([OrderedJSON])
    case object([(key: String, value: OrderedJSON)])

    /// An object without the fields whose value is nil.
    package static func fields(_ fields: KeyValuePairs<String, OrderedJSON?>) -> OrderedJSON {
        .object(fields.compactMap { key, value in value.map { (key, $0) } })
    }

    /// A text in quotes, as UTF-8 (RFC 8259, section 7).
    package static func quoted(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20: bytes += Array((byte < 16 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    /// The value in the form of RFC 8259.
    package var json: String {
        switch self {
        case .text(let text): String(decoding: Self.quoted(text), as: UTF8.self)
        case .number(let number): "\(number)"
        case .bool(let value): "\(value)"
        case .list(let values): "[\(values.map(\.json).joined(separator: ","))]"
        case .object(let fields):
            "{\(fields.map { "\(OrderedJSON.text($0.key).json):\($0.value.json)" }.joined(separator: ","))}"
        }
    }
}

extension OrderedJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: OrderedJSON...) { self = .list(elements) }
}
