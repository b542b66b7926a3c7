import Foundation

/// A condition made ready to be asked often: texts folded, versions read, seeds numbered, cheap terms first.
struct CompiledCondition: Sendable {
    private let terms: [Term]

    private enum Term: Sendable {
        case constant(Bool)
        case member(ConditionSubject, TextSet)
        case text(ConditionSubject, TextComparison, [String])
        case version(ConditionSubject, Comparison, [SemanticVersion])
        case number(ConditionSubject, Comparison, Double)
        case time(TimeSubject, Comparison, Timestamp)
        case percent(Int, PercentRange)

        var cost: Int {
            switch self {
            case .constant: 0
            case .time: 1
            case .member: 2
            case .text, .number: 3
            case .version: 4
            case .percent: 5
            }
        }
    }

    init(_ expression: ConditionExpression, seeds: inout SeedTable) {
        terms = expression.terms.map { term in
            switch term {
            case .constant(let value): .constant(value)
            case .member(let subject, let values):
                .member(subject, TextSet(subject.isFolded ? values.map { $0.lowercased() } : values))
            case .text(let subject, let comparison, let values):
                .text(subject, comparison, values.map { $0.trimmingCharacters(in: .whitespaces) })
            case .version(let subject, let comparison, let versions): .version(subject, comparison, versions)
            case .number(let subject, let comparison, let value): .number(subject, comparison, value)
            case .time(let subject, let comparison, let time): .time(subject, comparison, time.moment)
            case .percent(let seed, let range): .percent(seeds.index(of: seed), range)
            }
        }.sorted { $0.cost < $1.cost }
    }

    func holds(_ state: inout EvaluationState) -> Bool {
        for term in terms where !Self.holds(term, &state) { return false }
        return true
    }

    /// What is not known of the client makes every term false that speaks of it.
    private static func holds(_ term: Term, _ state: inout EvaluationState) -> Bool {
        switch term {
        case .constant(let value): return value
        case .member(.language, let values):
            guard let language = state.language else { return false }
            // A language means all its regions.
            return values.contains(language) || state.bareLanguage.map { values.contains($0) } == true
        case .member(let subject, let values):
            guard let value = state.folded(subject) else { return false }
            return values.contains(value)
        case .text(let subject, let comparison, let values):
            guard let value = state.value(subject)?.trimmingCharacters(in: .whitespaces) else { return false }
            return switch comparison {
            case .contains: values.contains { value.contains($0) }
            case .notContains: !values.contains { value.contains($0) }
            case .exactlyMatches: values.contains(value)
            }
        case .version(let subject, let comparison, let versions):
            guard let version = state.version(subject) else { return false }
            return comparison == .notEqual
                ? !versions.contains(version) : versions.contains { comparison.holds(version, $0) }
        case .number(let subject, let comparison, let value):
            guard let text = state.value(subject), let number = Double(text.trimmingCharacters(in: .whitespaces)),
                number.isFinite
            else { return false }
            return comparison.holds(number, value)
        case .time(let subject, let comparison, let moment):
            guard let time = subject == .now ? state.now : state.client.firstOpen else { return false }
            return comparison.holds(time, moment)
        case .percent(let seed, let range):
            return state.place(seed).map { range.contains($0) } ?? false
        }
    }
}

extension ConditionSubject {
    /// Whether capitals do not matter.
    fileprivate var isFolded: Bool {
        switch self {
        case .os, .country, .language: true
        default: false
        }
    }
}

/// A few texts in a row, or many by their hashes.
private struct TextSet: Sendable {
    private let few: [String]
    private let many: Set<String>

    init(_ values: [String]) {
        (few, many) = values.count <= 8 ? (values, []) : ([], Set(values))
    }

    func contains(_ value: String) -> Bool { many.isEmpty ? few.contains(value) : many.contains(value) }
}

/// The seeds of a template, numbered, so that each is hashed once for a client.
struct SeedTable: Sendable {
    private(set) var seeds: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func index(of seed: String) -> Int {
        if let number = numbers[seed] { return number }
        numbers[seed] = seeds.count
        seeds.append(seed)
        return seeds.count - 1
    }
}

/// What is found out of a client while its configuration is evaluated, each thing once.
struct EvaluationState {
    let client: ClientContext
    let now: Timestamp
    private let seeds: [String]
    private var places: [UInt32]
    private let os: String?
    private let country: String?
    let language: String?
    let bareLanguage: String?
    private let appVersion: SemanticVersion?
    private let appBuild: SemanticVersion?

    private static let unknownPlace = UInt32.max

    init(client: ClientContext, now: Timestamp, seeds: [String]) {
        self.client = client
        self.now = now
        self.seeds = seeds
        places = Array(repeating: Self.unknownPlace, count: seeds.count)
        os = client.os
        country = client.country?.lowercased()
        language = client.language?.lowercased()
        bareLanguage = language.flatMap { language in
            language.firstIndex { $0 == "-" || $0 == "_" }.map { String(language[..<$0]) }
        }
        appVersion = client.appVersion.flatMap { SemanticVersion($0) }
        appBuild = client.appBuild.flatMap { SemanticVersion($0) }
    }

    /// The client's place for a seed; nil if it has no id.
    mutating func place(_ seed: Int) -> UInt32? {
        guard let id = client.installationID, places.indices.contains(seed) else { return nil }
        if places[seed] == Self.unknownPlace { places[seed] = PercentBucket.place(of: id, seed: seeds[seed]) }
        return places[seed]
    }

    func value(_ subject: ConditionSubject) -> String? {
        switch subject {
        case .os: os
        case .appID: client.appID
        case .country: client.country
        case .language: client.language
        case .installationID: client.installationID
        case .appVersion: client.appVersion
        case .appBuild: client.appBuild
        case .userProperty(let key): client.userProperties[key]
        case .customSignal(let key): client.customSignals[key]
        }
    }

    fileprivate func folded(_ subject: ConditionSubject) -> String? {
        subject == .country ? country : value(subject)
    }

    func version(_ subject: ConditionSubject) -> SemanticVersion? {
        switch subject {
        case .appVersion: appVersion
        case .appBuild: appBuild
        default: value(subject).flatMap { SemanticVersion($0.trimmingCharacters(in: .whitespaces)) }
        }
    }
}
