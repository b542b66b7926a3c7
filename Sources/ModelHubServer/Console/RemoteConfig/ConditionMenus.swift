import Foundation

/// A condition in the menus and fields of its form.
///
/// The language of conditions only joins terms with `&&`. So each term that a menu can show goes there, and the other
/// terms go into the field of further terms, which accepts any expression.
struct ConditionMenus: Sendable, Hashable {
    /// App ids, separated by commas.
    var apps = ""
    var platform = ""
    /// An operator; empty for any version.
    var comparison = ""
    var version = ""
    /// Language codes, separated by commas.
    var languages = ""
    /// Country codes, separated by commas.
    var countries = ""
    /// The share of installations in percent; empty for all.
    var percent = ""
    /// The seed of that share.
    var seed = ""
    /// Further terms, joined with `&&`.
    var expression = ""

    /// Creates empty menus, which stand for no term.
    init() {}

    /// Distributes the terms of an expression. An expression that cannot be read becomes further terms as it is.
    init(expression text: String) {
        guard let expression = try? ConditionExpression(text) else {
            self.expression = text
            return
        }
        var rest: [ConditionTerm] = []
        for term in expression.terms where !take(term) { rest.append(term) }
        self.expression = ConditionExpression(terms: rest).description
    }

    /// Reads a form.
    init(_ form: [String: String]) {
        func field(_ name: String) -> String {
            (form[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        (apps, platform, comparison, version) = (
            field("apps"), field("platform"), field("comparison"), field("version")
        )
        (languages, countries) = (field("languages"), field("countries"))
        (percent, seed, expression) = (field("percent"), field("seed"), field("expression"))
    }

    /// Puts a term into its menu; false if the menu cannot show the term, or shows another one.
    private mutating func take(_ term: ConditionTerm) -> Bool {
        switch term {
        case .member(.appID, let values): return Self.take(values, into: &apps)
        case .member(.language, let values): return Self.take(values, into: &languages)
        case .member(.country, let values): return Self.take(values, into: &countries)
        case .member(.os, let values) where values.count == 1: return Self.take(values, into: &platform)
        case .version(.appVersion, let operation, let versions):
            guard comparison.isEmpty, versions.count == 1 else { return false }
            (comparison, version) = (operation.rawValue, versions[0].text)
            return true
        case .percent(let seed, .lessOrEqual(let bound)):
            let (whole, rest) = bound.quotientAndRemainder(dividingBy: Self.onePercent)
            guard percent.isEmpty, rest == 0, whole < 100 else { return false }
            (percent, self.seed) = ("\(whole)", seed)
            return true
        default: return false
        }
    }

    private static let onePercent: UInt32 = 1_000_000

    /// Writes values that a field with commas can hold.
    private static func take(_ values: [String], into field: inout String) -> Bool {
        let canBeListed = values.allSatisfy {
            !$0.isEmpty && !$0.contains(",") && $0 == $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard field.isEmpty, canBeListed else { return false }
        field = values.joined(separator: ", ")
        return true
    }

    /// The whole expression.
    ///
    /// - Throws: `.invalidArgument` with the wrong field.
    func whole() throws(HubError) -> ConditionExpression {
        var terms: [ConditionTerm] = []
        func add(_ field: String, _ subject: ConditionSubject) throws(HubError) {
            let values = field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
            for value in values {
                if let problem = subject.problem(of: value) { throw HubError(.invalidArgument, problem) }
            }
            if !values.isEmpty { terms.append(.member(subject, values)) }
        }
        try add(platform, .os)
        try add(apps, .appID)
        if !version.isEmpty || !comparison.isEmpty {
            guard let number = SemanticVersion(version) else {
                throw HubError(
                    .invalidArgument,
                    "\"\(version.prefix(60))\" is not a version; use one to five numbers with points, such as 2.1.0."
                )
            }
            terms.append(.version(.appVersion, Comparison(rawValue: comparison) ?? .greaterOrEqual, [number]))
        }
        try add(countries, .country)
        try add(languages, .language)
        if !percent.isEmpty {
            guard let share = UInt32(percent), share <= 100 else {
                throw HubError(
                    .invalidArgument,
                    "\"\(percent.prefix(60))\" is not a share of the installations; use a whole number from 0 to 100, or write the "
                        + "term yourself, such as percent <= 0.5."
                )
            }
            // All installations need no term.
            if share < 100 { terms.append(.percent(seed: seed, .lessOrEqual(share * Self.onePercent))) }
        }
        if !expression.isEmpty { terms += try ConditionExpression(expression).terms }
        guard !terms.isEmpty else {
            throw HubError(
                .invalidArgument,
                "The condition selects all installations; choose something, or change the value for all of them instead."
            )
        }
        // Read again, because a field such as the seed may break a rule of the language.
        return try ConditionExpression(ConditionExpression(terms: terms).description)
    }

    /// The whole expression as text. It is the earlier text if it has the same terms.
    func text(replacing earlier: String) throws(HubError) -> String {
        let expression = try whole()
        if let old = try? ConditionExpression(earlier), Set(old.terms) == Set(expression.terms) { return earlier }
        return expression.description
    }
}
