/// The country or the language is one of the values, in any case: `device.country in ['US', 'DE']`.
///
/// A language includes all its regions and scripts, and its former codes.
struct LocaleTerm: ConditionTerm {
    /// ``ConditionSubject/country`` or ``ConditionSubject/language``.
    var subject: ConditionSubject
    var values: [String]

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        guard let subject = start.subject, subject == .country || subject == .language else { return nil }
        return Self(subject: subject, values: try scanner.members())
    }

    var description: String { "\(subject) in \(ConditionText.list(values))" }

    var comparisonCount: Int { values.count }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        if subject == .language {
            let values = TextSet(values.map { LanguageTag($0).text })
            return CompiledTerm(.lookup, nanoseconds: 200) { state in state.languages.contains { values.contains($0) } }
        }
        let number = names.subjects.number(of: subject)
        let values = TextSet(values.map { $0.lowercased() })
        return CompiledTerm(.lookup, nanoseconds: 200) { state in
            state.folded(number).map { values.contains($0) } ?? false
        }
    }

    var warnings: [String] { values.compactMap(problem(of:)) }

    /// The reason why no installation has a value, as a sentence; nil if it may have it.
    private func problem(of value: String) -> String? {
        let letters = value.utf8.prefix { (97...122).contains($0 | 0x20) }.count
        switch subject {
        case .country where letters != 2 || value.utf8.count != 2:
            return "\"\(value.prefix(60))\" is not the code of a country; use two letters, such as DE."
        case .language
        where !(2...3).contains(letters)
            || !(value.utf8.dropFirst(letters).first.map { $0 == 0x2D || $0 == 0x5F } ?? true):
            return
                "\"\(value.prefix(60))\" is not the code of a language; use two or three letters, such as de or de-AT."
        default: return nil
        }
    }

    func show(in menus: inout ConditionMenus) -> Bool {
        subject == .country
            ? ConditionMenus.list(values, in: &menus.countries) : ConditionMenus.list(values, in: &menus.languages)
    }

    static func chosen(in menus: ConditionMenus) throws(HubError) -> [any ConditionTerm] {
        let terms = [(ConditionSubject.country, menus.countries), (.language, menus.languages)]
            .map { Self(subject: $0, values: ConditionMenus.values(of: $1)) }
            .filter { !$0.values.isEmpty }
        if let problem = terms.flatMap(\.warnings).first { throw HubError(.invalidArgument, problem) }
        return terms
    }
}
