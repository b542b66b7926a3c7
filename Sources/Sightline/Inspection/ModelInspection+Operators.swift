extension ModelInspection {
    /// The number of operators that ``operatorText`` names.
    private static let namedOperators = 12

    /// The most used operators in one line, such as "Conv × 83, Sigmoid × 78 and 9 others"; nil if they are not known.
    package var operatorText: String? {
        guard let operators, !operators.isEmpty else { return nil }
        let named = operators.prefix(Self.namedOperators).joined(separator: ", ")
        let rest = operators.count - Self.namedOperators
        return rest > 0 ? "\(named) and \(rest) other\(rest == 1 ? "" : "s")" : named
    }
}
