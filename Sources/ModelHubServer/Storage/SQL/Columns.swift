/// Values by the name of their column or parameter, so that a statement names each value beside its column.
struct Columns: Sendable, ExpressibleByDictionaryLiteral {
    typealias Value = (any SQLConvertible)?

    private(set) var names: [String] = []
    private(set) var values: [String: Value] = [:]

    init(dictionaryLiteral elements: (String, Value)...) {
        for (name, value) in elements { self[name] = value }
    }

    subscript(_ name: String) -> Value {
        get { values[name] ?? nil }
        set {
            if values[name] == nil { names.append(name) }
            values.updateValue(newValue, forKey: name)
        }
    }

    /// These columns and others.
    func merging(_ others: Columns) -> Columns {
        var all = self
        for name in others.names { all[name] = others[name] }
        return all
    }
}
