import Foundation
import Hummingbird
import TextFormatting

/// Pages about Remote Config.
extension Console {
    static let configPath = "/console/config"

    func addConfig(to routes: inout RouteTable) {
        let config = "console/config"
        page(at: config, in: &routes, use: configOverview)
        let parameter = "\(config)/parameters/{name}"
        page(at: parameter, in: &routes) { try await parameterPage($0, $0.request["name"]) }
        publisherForm(at: parameter, in: &routes) { try await changeParameter($0, $0.request["name"]) }
        publisherForm(at: "\(parameter)/delete", in: &routes) { try await deleteParameter($0, $0.request["name"]) }
        page(at: "\(config)/expression", in: &routes, use: expressionOfMenus)
        let condition = "\(config)/conditions/{name}"
        page(at: condition, in: &routes) { try await conditionPage($0, $0.request["name"]) }
        publisherForm(at: condition, in: &routes) { try await changeCondition($0, $0.request["name"]) }
        publisherForm(at: "\(condition)/delete", in: &routes) { try await deleteCondition($0, $0.request["name"]) }
        publisherForm(at: "\(condition)/move", in: &routes) { try await moveCondition($0, $0.request["name"]) }
        page(at: "\(config)/json", in: &routes, use: jsonPage)
        publisherForm(at: "\(config)/json", in: &routes, use: changeJSON)
        let versions = "\(config)/versions"
        page(at: versions, in: &routes, use: versionList)
        page(at: "\(versions)/{version}", in: &routes) { try await versionPage($0, $0.request["version"]) }
        publisherForm(at: "\(versions)/{version}/rollback", in: &routes) {
            try await rollBackConfig($0, $0.request["version"])
        }
    }

    /// Adds a change by users who may publish.
    func publisherForm(at path: String, in routes: inout RouteTable, use change: @escaping Page) {
        form(at: path, in: &routes) { visit in
            try visit.caller.require(.publisher)
            return try await change(visit)
        }
    }

    private struct OverviewPage: Sendable {
        struct Value: Sendable {
            var condition: String
            var text: String
            var isSpecial: Bool
            /// The problem with the name of a model, if any.
            var problem: String?
        }

        struct Parameter: Sendable {
            var key: String
            var path: String
            var group: String?
            var type: String
            var description: String
            var defaultText: String
            var isDefaultSpecial: Bool
            var defaultProblem: String?
            var values: [Value]
        }

        struct Condition: Sendable {
            var name: String
            var path: String
            var expression: String
            var color: String
            var use: String
            var isOfExperiment: Bool
            var canMoveUp: Bool
            var canMoveDown: Bool
        }

        var version: String
        var isNew: Bool
        var author: String
        var updated: ConsoleTime
        var change: String
        var search: String
        var isSearched: Bool
        var parameters: [Parameter]
        var parameterSummary: String
        var isCut: Bool
        var conditions: [Condition]
        var areConditionsCut: Bool
        var etag: String
    }

    /// Further parameters are found by searching.
    private static let shownParameters = 200
    /// The page of a parameter shows further values.
    private static let shownValues = 20
    /// The page of the JSON shows further conditions.
    private static let shownConditions = 200

    @Sendable
    private func configOverview(_ visit: ConsoleVisit) async throws -> Response {
        let published = try await hub.configTemplate(by: visit.caller)
        let template = published.template
        let models = try await ModelParameters(of: visit.caller.project.id, hub)
        let search = String((visit.request.query["q"] ?? "").trimmingCharacters(in: .whitespaces).prefix(100))
        let all = template.allParameters
        let found = all.filter { key, parameter in
            search.isEmpty || key.localizedCaseInsensitiveContains(search)
                || parameter.description?.localizedCaseInsensitiveContains(search) == true
        }.sorted { $0.key < $1.key }
        var groups: [String: String] = [:]
        for (name, group) in template.parameterGroups { for key in group.parameters.keys { groups[key] = name } }
        var uses: [String: Int] = [:]
        for parameter in all.values { for name in parameter.conditionalValues.keys { uses[name, default: 0] += 1 } }
        let experiments = template.experimentsByCondition
        let places = Dictionary(
            template.conditions.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        return .page(
            "config",
            ConsoleChrome(title: "Remote Config", visit: visit),
            OverviewPage(
                version: "\(published.version.number)",
                isNew: published.version.number == 0,
                author: ConsoleChrome.name(of: published.version.updateUser),
                updated: ConsoleTime(published.version.updateTime),
                change: published.version.description,
                search: search,
                isSearched: !search.isEmpty,
                parameters: found.prefix(Self.shownParameters).map { key, parameter in
                    let (text, isSpecial) = Self.text(of: parameter.defaultValue)
                    let models = models.isModelParameter(key, parameter) ? models : nil
                    return .init(
                        key: key,
                        path: "\(Self.configPath)/parameters/\(Self.encoded(key))",
                        group: groups[key],
                        type: (parameter.valueType ?? "STRING").lowercased(),
                        description: parameter.description ?? "",
                        defaultText: text,
                        isDefaultSpecial: isSpecial,
                        defaultProblem: models?.problem(of: parameter.defaultValue),
                        values: Self.values(of: parameter, places, models)
                    )
                },
                parameterSummary: search.isEmpty
                    ? NumberText.grouped(all.count, "parameter")
                    : "\(NumberText.grouped(found.count)) of \(NumberText.grouped(all.count, "parameter"))",
                isCut: found.count > Self.shownParameters,
                conditions: template.conditions.prefix(Self.shownConditions).enumerated().map { index, condition in
                    .init(
                        name: condition.name,
                        path: "\(Self.configPath)/conditions/\(Self.encoded(condition.name))",
                        expression: condition.expression,
                        color: Self.colorClass(condition.tagColor),
                        use: NumberText.grouped(uses[condition.name] ?? 0, "parameter"),
                        isOfExperiment: experiments[condition.name] != nil,
                        canMoveUp: index > 0,
                        canMoveDown: index < template.conditions.count - 1
                    )
                },
                areConditionsCut: template.conditions.count > Self.shownConditions,
                etag: published.etag
            )
        )
    }

    /// The first values of a parameter, in the order of their conditions.
    private static func values(
        of parameter: ConfigTemplate.Parameter,
        _ places: [String: Int],
        _ models: ModelParameters?
    ) -> [OverviewPage.Value] {
        let all = parameter.conditionalValues.sorted { places[$0.key] ?? 0 < places[$1.key] ?? 0 }
        var values = all.prefix(shownValues).map { name, value in
            let (text, isSpecial) = text(of: value)
            let problem = models?.problem(of: value)
            return OverviewPage.Value(condition: name, text: text, isSpecial: isSpecial, problem: problem)
        }
        if all.count > values.count {
            let text = "\(NumberText.grouped(all.count - values.count, "more value")) on the parameter’s page"
            values.append(.init(condition: "…", text: text, isSpecial: true))
        }
        return values
    }

    /// A short text for a value, and whether the value is something other than a text.
    private static func text(of value: ConfigTemplate.Value?) -> (String, Bool) {
        switch value {
        case nil: return ("no value", true)
        case .text("")?: return ("empty", true)
        case .text(let text)?: return (text.count > 120 ? text.prefix(120) + "…" : text, false)
        case .inAppDefault?: return ("the app’s own default", true)
        case .experiment(let value)?:
            let variants = value.variants.map {
                "\($0.variantID) \($0.value.map { "“\($0.prefix(60))”" } ?? "as before")"
            }
            return ("random: \(variants.joined(separator: ", "))", true)
        case .rollout(let id, let text, let percent)?: return ("rollout \(id): \(text) for \(percent) %", true)
        case .personalization(let id)?: return ("personalization \(id)", true)
        }
    }

    /// A class of the style sheet for one of Firebase's colors of conditions.
    static func colorClass(_ color: String?) -> String {
        let name = (color ?? "").lowercased().replacing("_", with: "-")
        return conditionColors.contains { $0.lowercased().replacing("_", with: "-") == name }
            ? "dot-\(name)" : "dot-none"
    }

    static let conditionColors = ConfigTemplate.tagColors
}
