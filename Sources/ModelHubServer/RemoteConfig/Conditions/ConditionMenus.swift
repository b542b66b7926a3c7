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

    /// Distributes the terms of an expression. An expression that cannot be read becomes further terms unchanged.
    init(expression text: String) {
        guard let expression = try? ConditionExpression(text) else {
            self.expression = text
            return
        }
        var rest: [any ConditionTerm] = []
        for term in expression.terms where !term.show(in: &self) { rest.append(term) }
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

    /// Writes values into an empty field with commas; false if the field cannot hold them.
    static func list(_ values: [String], in field: inout String) -> Bool {
        let canBeListed = values.allSatisfy {
            !$0.isEmpty && !$0.contains(",") && $0 == $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard field.isEmpty, canBeListed else { return false }
        field = values.joined(separator: ", ")
        return true
    }

    /// The values in a field with commas.
    static func values(of field: String) -> [String] {
        field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The whole expression.
    ///
    /// - Throws: `.invalidArgument` with the wrong field.
    func whole() throws(HubError) -> ConditionExpression {
        var terms: [any ConditionTerm] = []
        for kind in ConditionExpression.kinds { terms += try kind.chosen(in: self) }
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
        if let old = try? ConditionExpression(earlier), old.hasSameTerms(as: expression) { return earlier }
        return expression.description
    }
}
