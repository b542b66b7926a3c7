import Foundation

extension ConfigTemplate {
    /// Reads a template from the JSON of Firebase's `RemoteConfig` resource.
    ///
    /// - Throws: `.invalidArgument` with the position in the text and in the template, if the JSON has the wrong form,
    ///   has an unknown field, or breaks a rule.
    package init(json text: some StringProtocol) throws(HubError) {
        self = try Self.read(Array(text.utf8)).template
    }

    /// Reads a template that the hub stored, without repeating the checks of its publication.
    init(stored json: String) throws(HubError) {
        self = try Self.read(Array(json.utf8)) { (_, _) throws(TemplateFailure) in }.template
    }

    /// Checks the rules of ``init(json:)`` for a template that was not written as JSON.
    ///
    /// - Throws: `.invalidArgument` with the wrong part.
    func check() throws(HubError) {
        do throws(TemplateFailure) {
            try check(JSONNode(content: .object([]), offset: 0))
        } catch {
            throw HubError(.invalidArgument, "\(error.part) is wrong: \(error.reason).")
        }
    }

    /// A template that a client wants to publish.
    struct Input {
        var template: ConfigTemplate
        /// The purpose of the change: `version.description`.
        var description: String
    }

    static func read(
        _ bytes: [UInt8],
        check: (ConfigTemplate, JSONNode) throws(TemplateFailure) -> Void = {
            (template, node) throws(TemplateFailure) in
            try template.check(node)
        }
    ) throws(HubError) -> Input {
        let node = try JSONNode.document(bytes, called: "The template")
        var template = ConfigTemplate()
        do throws(TemplateFailure) {
            let fields = try node.fields(
                ["conditions", "parameters", "parameterGroups", "version", "etag"],
                of: "the template"
            )
            for (index, condition) in try (fields["conditions"]?.elements("conditions") ?? []).enumerated() {
                template.conditions.append(try Condition(condition, path: "conditions[\(index)]"))
            }
            template.parameters = try Self.parameters(fields["parameters"], path: "parameters")
            for member in try fields["parameterGroups"]?.members("parameterGroups") ?? [] {
                let path = "parameterGroups.\(member.key.prefix(60))"
                let fields = try member.value.fields(["description", "parameters"], of: path)
                var group = Group()
                group.description = try fields["description"]?.text(path + ".description")
                group.parameters = try Self.parameters(fields["parameters"], path: path + ".parameters")
                template.parameterGroups[member.key] = group
            }
            let purpose = fields["version"]?["description"]
            guard (purpose?.string ?? "").unicodeScalars.count <= Limits.purposeLength else {
                throw (purpose ?? node).failure(
                    "version.description",
                    "it has more than \(Limits.purposeLength) characters"
                )
            }
            try check(template, node)
            return Input(template: template, description: purpose?.string ?? "")
        } catch {
            throw HubError(
                .invalidArgument,
                "The template is wrong at \(TextPlace(bytes, offset: error.offset)), \(error.path): \(error.reason)."
            )
        }
    }

    private static func parameters(_ node: JSONNode?, path: String) throws(TemplateFailure) -> [String: Parameter] {
        var parameters: [String: Parameter] = [:]
        for member in try node?.members(path) ?? [] {
            parameters[member.key] = try Parameter(member.value, path: "\(path).\(member.key.prefix(60))")
        }
        return parameters
    }
}

/// The reason why JSON is not a valid template, and the position in the template and in bytes.
struct TemplateFailure: Error {
    var path: String
    var offset: Int
    var reason: String

    /// The wrong part, for people who do not see the JSON: `The default value of the parameter "size"`.
    var part: String {
        // parameterGroups.GROUP.parameters.KEY.PART, without the group for most parameters.
        guard let start = path.range(of: "parameters.") else {
            return path.hasPrefix("conditions") ? "The condition" : "The template"
        }
        let key = path[start.upperBound...].prefix { $0 != "." }
        let parameter = "the parameter \"\(key)\""
        let rest = path[key.endIndex...].dropFirst()
        switch rest {
        case "defaultValue": return "The default value of \(parameter)"
        case "description": return "The description of \(parameter)"
        case "valueType": return "The type of \(parameter)"
        case _ where rest.hasPrefix("conditionalValues["):
            let name = rest.dropFirst("conditionalValues[".count).prefix { $0 != "]" }
            return "The value of \(parameter) for \(name)"
        default: return "The parameter \"\(key)\""
        }
    }
}

extension ConfigTemplate.Condition {
    fileprivate init(_ node: JSONNode, path: String) throws(TemplateFailure) {
        let fields = try node.fields(["name", "expression", "tagColor"], of: path)
        guard let name = try fields["name"]?.text(path + ".name") else { throw node.failure(path, "it has no name") }
        guard let expression = try fields["expression"]?.text(path + ".expression") else {
            throw node.failure(path, "it has no expression")
        }
        self.init(name: name, expression: expression, tagColor: try fields["tagColor"]?.text(path + ".tagColor"))
    }
}

extension ConfigTemplate.Parameter {
    fileprivate init(_ node: JSONNode, path: String) throws(TemplateFailure) {
        self.init()
        let fields = try node.fields(["defaultValue", "conditionalValues", "description", "valueType"], of: path)
        defaultValue = try fields["defaultValue"].map { (node) throws(TemplateFailure) in
            try ConfigTemplate.Value(node, path: path + ".defaultValue")
        }
        for member in try fields["conditionalValues"]?.members(path + ".conditionalValues") ?? [] {
            let path = "\(path).conditionalValues[\"\(member.key.prefix(100))\"]"
            conditionalValues[member.key] = try ConfigTemplate.Value(member.value, path: path)
        }
        description = try fields["description"]?.text(path + ".description")
        valueType = try fields["valueType"]?.text(path + ".valueType")
        // As Firebase answers it.
        if valueType == "PARAMETER_VALUE_TYPE_UNSPECIFIED" { valueType = "STRING" }
    }
}

extension ConfigTemplate.Value {
    fileprivate init(_ node: JSONNode, path: String) throws(TemplateFailure) {
        let kinds = ["value", "useInAppDefault", "rolloutValue", "experimentValue", "personalizationValue"]
        let fields = try node.fields(kinds, of: path)
        guard let (kind, content) = fields.first, fields.count == 1 else {
            throw node.failure(
                path,
                "it has \(fields.count) of the fields \(kinds.joined(separator: ", ")), instead of exactly one"
            )
        }
        let inner = "\(path).\(kind)"
        switch kind {
        case "value": self = .text(try content.text(inner))
        case "useInAppDefault":
            guard content.content == .bool(true) else {
                throw content.failure(inner, "it is \(content.kind), not true")
            }
            self = .inAppDefault
        case "rolloutValue":
            let fields = try content.fields(["rolloutId", "value", "percent"], of: inner)
            self = .rollout(
                id: try content.required("rolloutId", fields, inner).text(inner + ".rolloutId"),
                value: try content.required("value", fields, inner).text(inner + ".value"),
                percent: try content.required("percent", fields, inner).percent(inner + ".percent")
            )
        case "experimentValue":
            let fields = try content.fields(["experimentId", "variantValue", "exposurePercent"], of: inner)
            var variants: [ConfigTemplate.VariantValue] = []
            let nodes = try content.required("variantValue", fields, inner).elements(inner + ".variantValue")
            for (index, node) in nodes.enumerated() {
                variants.append(try ConfigTemplate.VariantValue(node, path: "\(inner).variantValue[\(index)]"))
            }
            self = .experiment(
                ConfigTemplate.ExperimentValue(
                    experimentID: try content.required("experimentId", fields, inner).text(inner + ".experimentId"),
                    variants: variants,
                    exposurePercent: try fields["exposurePercent"]?.percent(inner + ".exposurePercent")
                )
            )
        default:
            let fields = try content.fields(["personalizationId"], of: inner)
            let id = try content.required("personalizationId", fields, inner)
            self = .personalization(id: try id.text(inner + ".personalizationId"))
        }
    }
}

extension ConfigTemplate.VariantValue {
    fileprivate init(_ node: JSONNode, path: String) throws(TemplateFailure) {
        let fields = try node.fields(["variantId", "value", "noChange"], of: path)
        variantID = try node.required("variantId", fields, path).text(path + ".variantId")
        value = try fields["value"]?.text(path + ".value")
        guard (value == nil) == (fields["noChange"]?.content == .bool(true)) else {
            throw node.failure(path, "it needs either a value or noChange: true")
        }
    }
}

extension JSONNode {
    func failure(_ path: String, _ reason: String) -> TemplateFailure {
        TemplateFailure(path: path, offset: offset, reason: reason)
    }

    /// The fields of an object that are not null. As in all JSON of protocol buffers, a name may also have underscores:
    /// `default_value`.
    func fields(_ known: [String], of path: String) throws(TemplateFailure) -> [String: JSONNode] {
        var fields: [String: JSONNode] = [:]
        for member in try members(path) {
            func failure(_ reason: String) -> TemplateFailure {
                TemplateFailure(path: path, offset: member.offset, reason: reason)
            }
            guard let name = known.first(where: { $0 == member.key || $0.withUnderscores == member.key }) else {
                throw failure(
                    "the field \"\(member.key.prefix(60))\" is unknown (use one of \(known.joined(separator: ", ")))"
                )
            }
            guard member.value.content != .null else { continue }
            guard fields.updateValue(member.value, forKey: name) == nil else {
                throw failure("the field \"\(name)\" occurs twice")
            }
        }
        return fields
    }

    func members(_ path: String) throws(TemplateFailure) -> [Member] {
        guard case .object(let members) = content else { throw failure(path, "it is \(kind), not an object") }
        return members
    }

    func elements(_ path: String) throws(TemplateFailure) -> [JSONNode] {
        guard case .array(let elements) = content else { throw failure(path, "it is \(kind), not a list") }
        return elements
    }

    func text(_ path: String) throws(TemplateFailure) -> String {
        guard case .string(let text) = content else { throw failure(path, "it is \(kind), not a text") }
        return text
    }

    func percent(_ path: String) throws(TemplateFailure) -> Double {
        guard case .number(let text) = content, let value = Double(text), (0...100).contains(value) else {
            throw failure(path, "it is not a number from 0 to 100")
        }
        return value
    }

    func required(_ key: String, _ fields: [String: JSONNode], _ path: String) throws(TemplateFailure) -> JSONNode {
        guard let node = fields[key] else { throw failure(path, "it has no \(key)") }
        return node
    }
}

extension String {
    /// A name such as `defaultValue` as `default_value`.
    fileprivate var withUnderscores: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
    }
}
