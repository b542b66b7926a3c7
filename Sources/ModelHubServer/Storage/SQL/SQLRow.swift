/// A row of a query's result.
struct SQLRow: Sendable {
    /// The names of the columns; PostgreSQL returns them in lower case.
    let names: [String]
    let values: [SQLValue]

    /// The value in a column.
    ///
    /// - Throws: `.dataLoss` if it has another type or is absent.
    subscript<Value: SQLConvertible>(_ name: String) -> Value {
        get throws {
            guard let value: Value = try self[name] else { throw Self.unexpected(.null, in: name) }
            return value
        }
    }

    /// The value in a column; nil if it is absent.
    ///
    /// - Throws: `.dataLoss` if it has another type.
    subscript<Value: SQLConvertible>(_ name: String) -> Value? {
        get throws {
            guard let column = names.firstIndex(of: name) ?? names.firstIndex(of: name.lowercased()) else {
                throw HubError(.internal, "A query returned no column \(name); please report this.")
            }
            if case .null = values[column] { return nil }
            guard let value = Value(values[column]) else { throw Self.unexpected(values[column], in: name) }
            return value
        }
    }

    private static func unexpected(_ value: SQLValue, in name: String) -> HubError {
        let found =
            switch value {
            case .null: "no value"
            case .boolean: "a truth value"
            case .integer: "an integer"
            case .real: "a number"
            case .text: "a text"
            case .bytes: "bytes"
            }
        return HubError(
            .dataLoss,
            "A record of the hub is damaged: its column \(name) contains \(found); run `sightline hub verify`, or restore a backup."
        )
    }
}
