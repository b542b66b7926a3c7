import Foundation
import Hummingbird

/// Pages about a condition.
extension Console {
    private struct ConditionPage: Sendable {
        var isNew: Bool
        var path: String
        var title: String
        var name: String
        var menus: ConditionMenus
        var choices: ConditionChoices
        /// The whole expression.
        var whole: String
        var colors: [ParameterFields.Choice]
        var isOfExperiment: Bool
        var experimentPath: String
        var etag: String
        var canChange: Bool
    }

    func conditionPage(_ visit: ConsoleVisit, _ name: String) async throws -> Response {
        let published = try await hub.configTemplate(by: visit.caller)
        if name == Self.newName { try visit.caller.require(.publisher) }
        var condition = ConfigTemplate.Condition(name: "", expression: "")
        if name != Self.newName {
            guard let known = published.template.conditions.first(where: { $0.name == name }) else {
                throw Self.noCondition(name)
            }
            condition = known
        }
        let menus = ConditionMenus(expression: condition.expression)
        return conditionPage(visit, name, condition, menus, published.template, etag: published.etag)
    }

    /// The expression of menus and fields, for the script that shows it beside them.
    @Sendable
    func expressionOfMenus(_ visit: ConsoleVisit) async throws -> Response {
        struct Answer: Encodable {
            var expression: String
        }
        return try .json(Answer(expression: try ConditionMenus(visit.request.query).whole().description))
    }

    private static func noCondition(_ name: String) -> HubError {
        HubError(.notFound, "There is no condition \"\(name.prefix(80))\"; it may have been deleted.")
    }

    private func conditionPage(
        _ visit: ConsoleVisit,
        _ name: String,
        _ condition: ConfigTemplate.Condition,
        _ menus: ConditionMenus,
        _ template: ConfigTemplate,
        etag: String,
        error: HubError? = nil
    ) -> Response {
        let title = name == Self.newName ? "New condition" : name
        let experiment = template.experimentsByCondition[name] ?? ""
        return .page(
            "config-condition",
            ConsoleChrome(title: title, visit: visit, error: error),
            ConditionPage(
                isNew: name == Self.newName,
                path: "\(Self.configPath)/conditions/\(Self.encoded(name))",
                title: title,
                name: condition.name,
                menus: menus,
                choices: ConditionChoices(menus, in: template),
                whole: condition.expression,
                colors: [.init(value: "", title: "None", isChosen: condition.tagColor == nil)]
                    + Self.conditionColors.map {
                        let title = $0.capitalized.replacing("_", with: " ")
                        return .init(value: $0, title: title, isChosen: $0 == condition.tagColor)
                    },
                isOfExperiment: !experiment.isEmpty,
                experimentPath: "/console/experiments/\(Self.encoded(experiment))",
                etag: etag,
                canChange: visit.caller.role >= .publisher && experiment.isEmpty
            )
        )
    }

    func changeCondition(_ visit: ConsoleVisit, _ name: String) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let color = form["color"]
        let menus = ConditionMenus(form.fields)
        var condition = ConfigTemplate.Condition(
            name: form["name"],
            expression: "",
            tagColor: color.isEmpty ? nil : color
        )
        let current = try await hub.configTemplate(by: visit.caller).template
        do {
            let earlier = current.conditions.first { $0.name == name }?.expression ?? ""
            condition.expression = try menus.text(replacing: earlier)
        } catch {
            return conditionPage(visit, name, condition, menus, current, etag: form["etag"], error: error)
        }
        let isNew = name == Self.newName
        let edit = ConfigEdit(
            description: isNew ? "Added the condition \(condition.name)" : "Changed the condition \(name)",
            success: "The condition \(condition.name) was \(isNew ? "added" : "changed").",
            target: Self.configPath
        ) { [condition] (template) throws(HubError) in
            if isNew {
                template.conditions.append(condition)
                return
            }
            guard let index = template.conditions.firstIndex(where: { $0.name == name }) else {
                throw Self.noCondition(name)
            }
            template.conditions[index] = condition
            if condition.name != name { template.rename(condition: name, to: condition.name) }
        }
        do {
            return try await publish(edit, form, visit)
        } catch let error as HubError where error.isRefusedConfig {
            return conditionPage(visit, name, condition, menus, current, etag: form["etag"], error: error)
        }
    }

    func deleteCondition(_ visit: ConsoleVisit, _ name: String) async throws -> Response {
        let edit = ConfigEdit(
            description: "Deleted the condition \(name)",
            success: "The condition \(name) and the values under it were deleted.",
            target: Self.configPath
        ) { (template) throws(HubError) in
            template.conditions.removeAll { $0.name == name }
            template.rename(condition: name, to: nil)
        }
        return try await publish(edit, try await ConsoleForm(visit), visit)
    }

    func moveCondition(_ visit: ConsoleVisit, _ name: String) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let offset = form["direction"] == "up" ? -1 : 1
        let edit = ConfigEdit(
            description: "Moved the condition \(name)",
            success: "The condition \(name) was moved; if several conditions are true, the first one counts.",
            target: Self.configPath + "#conditions"
        ) { (template) throws(HubError) in
            guard let index = template.conditions.firstIndex(where: { $0.name == name }) else {
                throw Self.noCondition(name)
            }
            guard template.conditions.indices.contains(index + offset) else { return }
            template.conditions.swapAt(index, index + offset)
        }
        return try await publish(edit, form, visit)
    }
}

extension ConfigTemplate {
    /// Moves the values under a condition to another condition, or removes them.
    fileprivate mutating func rename(condition name: String, to newName: String?) {
        for key in allParameters.keys {
            _ = change(parameter: key) { parameter in
                guard let value = parameter.conditionalValues.removeValue(forKey: name), let newName else { return }
                parameter.conditionalValues[newName] = value
            }
        }
    }
}
