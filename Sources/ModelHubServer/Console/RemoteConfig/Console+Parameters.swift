import Foundation
import Hummingbird

/// Pages about a parameter.
extension Console {
    private struct ParameterPage: Sendable {
        var isNew: Bool
        var path: String
        var title: String
        var fields: ParameterFields
        var types: [ParameterFields.Choice]
        /// The names of the project's models.
        var models: [String]
        var etag: String
        var canChange: Bool
    }

    /// The name of a new parameter or condition in paths. A parameter's key cannot have this name.
    static let newName = "+"

    func parameterPage(_ visit: ConsoleVisit, _ key: String) async throws -> Response {
        let published = try await hub.configTemplate(by: visit.caller)
        if key == Self.newName { try visit.caller.require(.publisher) }
        let models = try await ModelParameters(of: visit.caller.project.id, hub)
        let fields = try Self.fields(of: key, in: published.template, models)
        return parameterPage(visit, key, fields, models, etag: published.etag)
    }

    private static func fields(
        of key: String,
        in template: ConfigTemplate,
        _ models: ModelParameters
    ) throws(HubError) -> ParameterFields {
        if key == newName { return ParameterFields("", nil, in: template, models) }
        guard let parameter = template.allParameters[key] else {
            throw HubError(.notFound, "There is no parameter \"\(key.prefix(80))\"; it may have been deleted.")
        }
        return ParameterFields(key, parameter, in: template, models)
    }

    private func parameterPage(
        _ visit: ConsoleVisit,
        _ key: String,
        _ fields: ParameterFields,
        _ models: ModelParameters,
        etag: String,
        error: HubError? = nil
    ) -> Response {
        let title = key == Self.newName ? "New parameter" : key
        return .page(
            "config-parameter",
            ConsoleChrome(title: title, visit: visit, error: error),
            ParameterPage(
                isNew: key == Self.newName,
                path: "\(Self.configPath)/parameters/\(Self.encoded(key))",
                title: title,
                fields: fields,
                types: fields.types,
                models: models.names,
                etag: etag,
                canChange: visit.caller.role >= .publisher
            )
        )
    }

    func changeParameter(_ visit: ConsoleVisit, _ key: String) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let newKey = form["key"]
        let isNew = key == Self.newName
        let models = try await ModelParameters(of: visit.caller.project.id, hub)
        let current = try await hub.configTemplate(by: visit.caller).template
        var known = try? Self.fields(of: key, in: current, models)
        known?.take(form)
        let edit = ConfigEdit(
            description: isNew ? "Added the parameter \(newKey)" : "Changed the parameter \(key)",
            success: isNew ? "The parameter \(newKey) was added." : "The parameter \(newKey) was changed.",
            target: Self.configPath,
            modelKeys: known?.hasModel == true ? [newKey] : []
        ) { (template) throws(HubError) in
            if isNew || newKey != key, template.allParameters[newKey] != nil {
                throw HubError(.alreadyExists, "The parameter \"\(newKey)\" already exists; change it instead.")
            }
            var fields = try Self.fields(of: key, in: template, models)
            fields.take(form)
            if isNew {
                var parameter = ConfigTemplate.Parameter()
                fields.apply(to: &parameter)
                template.parameters[newKey] = parameter
            } else {
                _ = template.change(parameter: key) { fields.apply(to: &$0) }
                if newKey != key { template.rename(parameter: key, to: newKey) }
            }
        }
        return try await answering(visit, key, form) { try await publish(edit, form, visit) }
    }

    /// Shows the form again, with its contents, if the change breaks a rule.
    private func answering(
        _ visit: ConsoleVisit,
        _ key: String,
        _ form: ConsoleForm,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let error as HubError where error.isRefusedConfig || error.code == .alreadyExists {
            let template = try await hub.configTemplate(by: visit.caller).template
            let models = try await ModelParameters(of: visit.caller.project.id, hub)
            var fields = try Self.fields(of: key, in: template, models)
            fields.take(form)
            return parameterPage(visit, key, fields, models, etag: form["etag"], error: error)
        }
    }

    func deleteParameter(_ visit: ConsoleVisit, _ key: String) async throws -> Response {
        let edit = ConfigEdit(
            description: "Deleted the parameter \(key)",
            success: "The parameter \(key) was deleted.",
            target: Self.configPath
        ) { (template) throws(HubError) in
            template.parameters[key] = nil
            for name in template.parameterGroups.keys { template.parameterGroups[name]?.parameters[key] = nil }
        }
        return try await publish(edit, try await ConsoleForm(visit), visit)
    }
}

extension ConfigTemplate {
    /// Changes a parameter's key, inside or outside a group.
    fileprivate mutating func rename(parameter key: String, to newKey: String) {
        if let parameter = parameters.removeValue(forKey: key) { parameters[newKey] = parameter }
        for name in parameterGroups.keys {
            guard let parameter = parameterGroups[name]?.parameters.removeValue(forKey: key) else { continue }
            parameterGroups[name]?.parameters[newKey] = parameter
        }
    }
}
