import Foundation

/// The properties of a client that an evaluation has computed, each once.
struct EvaluationState {
    /// A property of the client, in the forms that terms need.
    fileprivate struct Fact {
        /// The text for lookups in sets, folded if the comparison ignores case.
        var folded: String?
        var trimmed: String?
        /// The trimmed text for searches.
        var searched: ComparableText?
        /// The number, if it is finite.
        var number: Double?
        var version: SemanticVersion?
    }

    let client: ClientContext
    let now: Timestamp
    /// The codes that a condition may name for the client's language.
    let languages: [String]
    private let names: ConditionNames
    private var places: [UInt32]
    private var facts: [Fact]
    private var isKnown: [Bool]
    /// Whether each term is true, once it is known.
    private var truths: [Truth]

    private enum Truth { case unknown, no, yes }

    private static let unknownPlace = UInt32.max

    init(client: ClientContext, now: Timestamp, names: ConditionNames) {
        self.client = client
        self.now = now
        self.names = names
        places = Array(repeating: Self.unknownPlace, count: names.seeds.elements.count)
        facts = Array(repeating: Fact(), count: names.subjects.elements.count)
        isKnown = Array(repeating: false, count: facts.count)
        truths = Array(repeating: .unknown, count: names.terms.count)
        languages = client.language.map { LanguageTag($0).matches } ?? []
    }

    /// Whether the term with a number is true.
    mutating func holds(_ term: Int) -> Bool {
        switch truths[term] {
        case .yes: return true
        case .no: return false
        case .unknown:
            let isTrue = names.terms[term].holds(&self)
            truths[term] = isTrue ? .yes : .no
            return isTrue
        }
    }

    /// The client's bucket for a seed; nil if the client has no id.
    mutating func place(_ seed: Int) -> UInt32? {
        guard let id = client.installationID, places.indices.contains(seed) else { return nil }
        if places[seed] == Self.unknownPlace {
            places[seed] = PercentBucket.place(of: id, seed: names.seeds.elements[seed])
        }
        return places[seed]
    }

    mutating func folded(_ subject: Int) -> String? { find(subject) ? facts[subject].folded : nil }
    mutating func trimmed(_ subject: Int) -> String? { find(subject) ? facts[subject].trimmed : nil }
    /// The trimmed text, prepared for searches at its first use.
    mutating func searched(_ subject: Int) -> ComparableText? {
        guard let text = trimmed(subject) else { return nil }
        if let searched = facts[subject].searched { return searched }
        let searched = ComparableText(text)
        facts[subject].searched = searched
        return searched
    }

    mutating func number(_ subject: Int) -> Double? { find(subject) ? facts[subject].number : nil }
    mutating func version(_ subject: Int) -> SemanticVersion? { find(subject) ? facts[subject].version : nil }

    /// Whether the client has the property; computes it if necessary.
    private mutating func find(_ subject: Int) -> Bool {
        guard isKnown.indices.contains(subject) else { return false }
        if !isKnown[subject] {
            facts[subject] = Fact(names.subjects.elements[subject], client)
            isKnown[subject] = true
        }
        return true
    }
}

extension EvaluationState.Fact {
    fileprivate init(_ subject: ConditionSubject, _ client: ClientContext) {
        guard let text = subject.value(in: client) else { return }
        folded = subject.isFolded ? text.lowercased() : text
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        self.trimmed = trimmed
        number = Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
        version = SemanticVersion(trimmed)
    }
}
