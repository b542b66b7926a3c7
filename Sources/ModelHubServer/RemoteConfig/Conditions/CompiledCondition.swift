/// A condition prepared for repeated evaluation: the numbers of its terms, the cheap ones first.
struct CompiledCondition: Sendable {
    private let terms: [Int]

    init(_ expression: ConditionExpression, names: inout ConditionNames) {
        let numbers = expression.terms.map { names.number(of: $0) }
        terms = numbers.sorted { names.terms[$0].cost < names.terms[$1].cost }
    }

    func holds(_ state: inout EvaluationState) -> Bool {
        for term in terms where !state.holds(term) { return false }
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

/// The numbered terms, subjects and seeds of a template's conditions, so that each is computed once per client.
struct ConditionNames: Sendable {
    var seeds = NumberedList<String>()
    var subjects = NumberedList<ConditionSubject>()
    /// The distinct terms: conditions often share some, such as one about the platform.
    private(set) var terms: [CompiledTerm] = []
    /// By the bytes of their texts, since texts that Unicode takes for equal can be different patterns.
    private var termNumbers: [[UInt8]: Int] = [:]

    /// The number of a term among ``terms``.
    mutating func number(of term: any ConditionTerm) -> Int {
        // Different terms have different texts, since each reads as the same term again.
        let text = Array(term.description.utf8)
        if let number = termNumbers[text] { return number }
        let compiled = term.compiled(&self)
        terms.append(compiled)
        termNumbers[text] = terms.count - 1
        return terms.count - 1
    }
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
