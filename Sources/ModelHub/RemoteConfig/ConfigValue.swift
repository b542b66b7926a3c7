import Foundation

/// The value of a parameter, and its source.
public struct ConfigValue: Sendable, Hashable {
    /// The source of a value.
    public enum Source: String, Sendable, Hashable, Codable {
        /// The hub.
        case remote
        /// The app's defaults.
        case `default`
        /// No source: the parameter is unknown, and its value is empty.
        case `static`
    }

    /// The value as text.
    public let string: String
    /// The source of the value.
    public let source: Source

    /// Whether the text is `1`, `true`, `t`, `yes`, `y` or `on`, ignoring case, as in Firebase's SDKs.
    public var bool: Bool { ["1", "true", "t", "yes", "y", "on"].contains(string.lowercased()) }

    /// The text as an integer; nil if it is not an integer.
    public var int: Int? { Int(string.trimmingCharacters(in: .whitespaces)) }

    /// The text as a finite number; nil if it is not a finite number.
    public var double: Double? {
        Double(string.trimmingCharacters(in: .whitespaces)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Decodes the text as JSON.
    ///
    /// - Throws: `DecodingError` if the text is not JSON of this type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(string.utf8))
    }
}

/// A property of the app or its user that conditions can test.
public enum CustomSignal: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
}

extension CustomSignal: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension CustomSignal: Codable {
    /// Decodes a text or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Encodes the text or the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

/// This installation's variant in an experiment, or its group in a rollout of a model.
public struct ExperimentAssignment: Sendable, Hashable, Codable {
    /// The id of the experiment or the rollout.
    public var experimentID: String
    /// The variant's id.
    public var variantID: String
    /// The parameters that the experiment changes; empty for a rollout.
    public var parameters: [String]
}
