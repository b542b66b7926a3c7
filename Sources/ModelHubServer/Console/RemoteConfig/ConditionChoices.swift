import Foundation

/// The choices in the menus of a condition's form.
struct ConditionChoices: Sendable {
    struct Code: Sendable {
        var code: String
        var name: String
    }

    var platforms: [ParameterFields.Choice]
    var comparisons: [ParameterFields.Choice]
    var apps: [String]
    var countries = Self.countries
    var languages = Self.languages

    /// - Parameters:
    ///   - menus: The chosen values.
    ///   - template: Its conditions name apps.
    init(_ menus: ConditionMenus, in template: ConfigTemplate) {
        let known = [("", "Any"), ("ios", "iOS"), ("android", "Android"), ("web", "Web"), ("linux", "Linux")]
        let others = known.contains { $0.0 == menus.platform } ? [] : [(menus.platform, menus.platform)]
        platforms = (known + others).map { .init(value: $0.0, title: $0.1, isChosen: $0.0 == menus.platform) }
        let operators: [(String, String)] = [
            ("", "Any"), (">=", "From"), (">", "After"), ("<=", "Up to"), ("<", "Before"), ("==", "Exactly"),
            ("!=", "All but"),
        ]
        comparisons = operators.map { .init(value: $0.0, title: $0.1, isChosen: $0.0 == menus.comparison) }
        var apps: Set<String> = []
        for condition in template.conditions {
            for term in (try? ConditionExpression(condition.expression))?.terms ?? [] {
                if let term = term as? MemberTerm, term.subject == .appID { apps.formUnion(term.values) }
            }
        }
        self.apps = apps.sorted()
    }

    private static let english = Locale(identifier: "en")

    /// All countries, by name.
    private static let countries: [Code] = Locale.Region.isoRegions
        .filter { $0.identifier.utf8.count == 2 && $0.subRegions.isEmpty }
        .compactMap { region in
            english.localizedString(forRegionCode: region.identifier).map { Code(code: region.identifier, name: $0) }
        }
        .sorted { $0.name < $1.name }

    /// The languages with codes of two letters, by name.
    private static let languages: [Code] = Locale.LanguageCode.isoLanguageCodes
        .filter { $0.identifier.utf8.count == 2 }
        .compactMap { language in
            english.localizedString(forLanguageCode: language.identifier)
                .map { Code(code: language.identifier, name: $0) }
        }
        .sorted { $0.name < $1.name }
}
