/// The installation's bucket lies in a range, see ``PercentBucket``: `percent('seed') <= 10`.
struct PercentTerm: ConditionTerm {
    /// A range of buckets, in millionths of a percent.
    enum Range: Sendable, Hashable {
        case lessOrEqual(UInt32)
        case greater(UInt32)
        /// Above the first bound, up to the second.
        case between(UInt32, UInt32)

        func contains(_ place: UInt32) -> Bool {
            switch self {
            case .lessOrEqual(let bound): place <= bound
            case .greater(let bound): place > bound
            case .between(let lower, let upper): lower < place && place <= upper
            }
        }
    }

    /// Empty, or different for each group of conditions that share their buckets.
    var seed: String
    var range: Range

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        guard start.name == "percent" else { return nil }
        return Self(seed: try readSeed(&scanner), range: try readRange(&scanner))
    }

    private static func readSeed(_ scanner: inout ConditionScanner) throws(ExpressionFailure) -> String {
        guard scanner.takes("(") else { return "" }
        let place = scanner.place
        let seed = try scanner.string()
        let isValid =
            seed.utf8.count <= 32
            && seed.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
                    || [45, 46, 95].contains($0)
            }
        guard isValid else {
            throw scanner.failure("a seed has up to 32 letters, digits, hyphens, points and underscores", at: place)
        }
        try scanner.expect(")")
        return seed
    }

    private static func readRange(_ scanner: inout ConditionScanner) throws(ExpressionFailure) -> Range {
        if scanner.takesWord("between") {
            let lower = try scanner.microPercent()
            guard scanner.takesWord("and") else { throw scanner.failure("expected \"and\"") }
            let place = scanner.place
            let upper = try scanner.microPercent()
            guard lower <= upper else { throw scanner.failure("the upper bound is below the lower bound", at: place) }
            return .between(lower, upper)
        }
        if scanner.takes("<=") { return .lessOrEqual(try scanner.microPercent()) }
        if scanner.takes(">"), !scanner.takes("=") { return .greater(try scanner.microPercent()) }
        throw scanner.failure("expected <=, > or \"between\"")
    }

    var description: String {
        let start = "percent\(seed.isEmpty ? "" : "(\(ConditionText.quoted(seed)))")"
        return switch range {
        case .lessOrEqual(let bound): "\(start) <= \(Self.text(bound))"
        case .greater(let bound): "\(start) > \(Self.text(bound))"
        case .between(let lower, let upper): "\(start) between \(Self.text(lower)) and \(Self.text(upper))"
        }
    }

    /// Formats millionths of a percent as percent.
    private static func text(_ microPercent: UInt32) -> String {
        let (whole, rest) = microPercent.quotientAndRemainder(dividingBy: onePercent)
        guard rest > 0 else { return "\(whole)" }
        var digits = "\(rest + onePercent)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    private static let onePercent: UInt32 = 1_000_000

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        let number = names.seeds.number(of: seed)
        return CompiledTerm(.hash, nanoseconds: 20) { [range] state in
            state.place(number).map { range.contains($0) } ?? false
        }
    }

    var serverCondition: ServerTemplate.Condition? {
        let seed = seed.isEmpty ? nil : seed
        return switch range {
        case .lessOrEqual(let bound):
            .percent(.init(percentOperator: "LESS_OR_EQUAL", seed: seed, microPercent: bound))
        case .greater(let bound):
            .percent(.init(percentOperator: "GREATER_THAN", seed: seed, microPercent: bound))
        case .between(let lower, let upper):
            .percent(
                .init(
                    percentOperator: "BETWEEN",
                    seed: seed,
                    microPercentRange: .init(microPercentLowerBound: lower, microPercentUpperBound: upper)
                )
            )
        }
    }

    func show(in menus: inout ConditionMenus) -> Bool {
        guard case .lessOrEqual(let bound) = range, menus.percent.isEmpty, bound % Self.onePercent == 0 else {
            return false
        }
        // All installations need no term.
        guard bound < PercentBucket.count else { return false }
        (menus.percent, menus.seed) = ("\(bound / Self.onePercent)", seed)
        return true
    }

    static func chosen(in menus: ConditionMenus) throws(HubError) -> [any ConditionTerm] {
        if menus.percent.isEmpty { return [] }
        guard let share = UInt32(menus.percent), share <= 100 else {
            throw HubError(
                .invalidArgument,
                "\"\(menus.percent.prefix(60))\" is not a share of the installations; use a whole number from 0 to 100, or write the "
                    + "term yourself, such as percent <= 0.5."
            )
        }
        return share < 100 ? [Self(seed: menus.seed, range: .lessOrEqual(share * onePercent))] : []
    }
}

extension ConditionScanner {
    /// Takes a percentage from 0 to 100 with up to six decimals; returns it in millionths of a percent.
    fileprivate mutating func microPercent() throws(ExpressionFailure) -> UInt32 {
        let start = place
        let parts = numberText().split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard (1...2).contains(parts.count), !parts[0].isEmpty, decimals.utf8.count <= 6,
            parts.count == 1 || !decimals.isEmpty,
            let value = UInt32(String(parts[0]) + decimals + String(repeating: "0", count: 6 - decimals.utf8.count)),
            value <= PercentBucket.count
        else { throw failure("expected a number from 0 to 100 with at most six decimals", at: start) }
        return value
    }
}
