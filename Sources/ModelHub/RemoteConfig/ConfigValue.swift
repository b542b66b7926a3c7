import Foundation

/// The value of a parameter, and where it comes from.
public struct ConfigValue: Sendable, Hashable {
    /// Where a value comes from.
    public enum Source: String, Sendable, Hashable, Codable {
        /// From the hub.
        case remote
        /// From the defaults of the app.
        case `default`
        /// From nowhere: the parameter is not known, and its value is empty.
        case `static`
    }

    /// The text.
    public let string: String
    /// Where it comes from.
    public let source: Source

    /// Whether the text is `1`, `true`, `t`, `yes`, `y` or `on`, in capitals or not, as in Firebase's SDKs.
    public var bool: Bool { ["1", "true", "t", "yes", "y", "on"].contains(string.lowercased()) }

    /// The text as a whole number; nil if it is none.
    public var int: Int? { Int(string.trimmingCharacters(in: .whitespaces)) }

    /// The text as a finite number; nil if it is none.
    public var double: Double? {
        Double(string.trimmingCharacters(in: .whitespaces)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// What the text, taken as JSON, describes.
    ///
    /// - Throws: `DecodingError` if it does not describe one.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(string.utf8))
    }
}

/// What an app says of itself or its user, for conditions to decide by.
public enum CustomSignal: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
}

extension CustomSignal: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension CustomSignal: Codable {
    /// Reads a text or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Writes the text or the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

/// The variant of an experiment that this installation has.
public struct ExperimentAssignment: Sendable, Hashable, Codable {
    /// The experiment's id.
    public var experimentID: String
    /// The variant's id.
    public var variantID: String
    /// The parameters that it is about.
    public var parameters: [String]
}
