import Foundation

/// A value in a database, in the forms that every driver has.
enum SQLValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
}

/// A type whose values a database stores.
protocol SQLConvertible: Sendable {
    /// The value in the database.
    var sqlValue: SQLValue { get }
    /// Creates a value from the database; nil if it has another type or range.
    init?(_ value: SQLValue)
}

/// SQLite stores these as 0 and 1.
extension Bool: SQLConvertible {
    var sqlValue: SQLValue { .boolean(self) }

    init?(_ value: SQLValue) {
        switch value {
        case .boolean(let value): self = value
        case .integer(let number): self = number != 0
        default: return nil
        }
    }
}

extension Int64: SQLConvertible {
    var sqlValue: SQLValue { .integer(self) }

    init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: SQLConvertible {
    var sqlValue: SQLValue { .integer(Int64(self)) }

    init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

/// SQLite returns a real number without a fraction as an integer from some expressions.
extension Double: SQLConvertible {
    var sqlValue: SQLValue { .real(self) }

    init?(_ value: SQLValue) {
        switch value {
        case .real(let number): self = number
        case .integer(let number): self.init(number)
        default: return nil
        }
    }
}

extension String: SQLConvertible {
    var sqlValue: SQLValue { .text(self) }

    init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: SQLConvertible {
    var sqlValue: SQLValue { .bytes(self) }

    init?(_ value: SQLValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
}
