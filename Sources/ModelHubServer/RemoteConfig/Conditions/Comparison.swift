/// A comparison of quantities.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "=="
    case notEqual = "!="
    case greater = ">"
    case greaterOrEqual = ">="

    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .equal: left == right
        case .notEqual: left != right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    /// The name in templates for server SDKs.
    var serverName: String {
        switch self {
        case .less: "LESS_THAN"
        case .lessOrEqual: "LESS_EQUAL"
        case .equal: "EQUAL"
        case .notEqual: "NOT_EQUAL"
        case .greater: "GREATER_THAN"
        case .greaterOrEqual: "GREATER_EQUAL"
        }
    }
}
