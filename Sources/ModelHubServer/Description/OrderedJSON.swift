/// A value of JSON whose fields keep their order.
indirect enum OrderedJSON: Sendable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case list([OrderedJSON])
    case object([(key: String, value: OrderedJSON)])

    /// An object without the fields whose value is nil.
    static func fields(_ fields: KeyValuePairs<String, OrderedJSON?>) -> OrderedJSON {
        .object(fields.compactMap { key, value in value.map { (key, $0) } })
    }

    /// The value in the form of RFC 8259.
    var json: String {
        switch self {
        case .text(let text): String(decoding: JSONText.quoted(text), as: UTF8.self)
        case .number(let number): "\(number)"
        case .bool(let value): "\(value)"
        case .list(let values): "[\(values.map(\.json).joined(separator: ","))]"
        case .object(let fields):
            "{\(fields.map { "\(OrderedJSON.text($0.key).json):\($0.value.json)" }.joined(separator: ","))}"
        }
    }
}

extension OrderedJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: OrderedJSON...) { self = .list(elements) }
}
