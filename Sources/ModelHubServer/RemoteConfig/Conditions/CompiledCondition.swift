/// A condition prepared for repeated evaluation. Cheap terms come first.
struct CompiledCondition: Sendable {
    private let terms: [CompiledTerm]

    /// The maximum duration of the terms. Properties that are computed once per client count separately.
    var work: EvaluationWork { terms.reduce(into: EvaluationWork()) { $0 += $1.work } }

    init(_ expression: ConditionExpression, names: inout ConditionNames) {
        terms = expression.terms.map { $0.compiled(&names) }.sorted { $0.cost < $1.cost }
    }

    func holds(_ state: inout EvaluationState) -> Bool {
        for term in terms where !term.holds(&state) { return false }
        return true
    }
}

/// A term prepared for repeated evaluation: its texts are folded, its versions parsed, its subject and seed numbered.
struct CompiledTerm: Sendable {
    /// The kind of work, cheapest first.
    enum Cost: Int, Comparable {
        case constant, time, lookup, comparison, version, hash, pattern

        static func < (left: Cost, right: Cost) -> Bool { left.rawValue < right.rawValue }
    }

    let cost: Cost
    let work: EvaluationWork
    /// Whether the term is true. A term about an unknown property of the client is false.
    let holds: @Sendable (inout EvaluationState) -> Bool

    init(
        _ cost: Cost,
        nanoseconds: Int,
        searches: Int = 0,
        holds: @escaping @Sendable (inout EvaluationState) -> Bool
    ) {
        self.cost = cost
        work = EvaluationWork(nanoseconds: nanoseconds, searches: searches)
        self.holds = holds
    }
}

/// A few texts in an array, or many by their hashes.
struct TextSet: Sendable {
    private let few: [String]
    private let many: Set<String>

    init(_ values: [String]) {
        (few, many) = values.count <= 8 ? (values, []) : ([], Set(values))
    }

    func contains(_ value: String) -> Bool { many.isEmpty ? few.contains(value) : many.contains(value) }
}

/// The numbered subjects and seeds of a template's conditions, so that each is computed once per client.
struct ConditionNames: Sendable {
    var seeds = NumberedList<String>()
    var subjects = NumberedList<ConditionSubject>()
}

/// Distinct elements, each with its position.
struct NumberedList<Element: Hashable & Sendable>: Sendable {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int] = [:]

    mutating func number(of element: Element) -> Int {
        if let number = numbers[element] { return number }
        numbers[element] = elements.count
        elements.append(element)
        return elements.count - 1
    }
}
