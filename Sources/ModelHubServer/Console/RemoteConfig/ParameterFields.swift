import Foundation

/// A parameter in the fields of its form.
struct ParameterFields: Sendable {
    /// A value for a condition, or for all installations.
    struct Value: Sendable {
        /// The suffix of its fields, `kind-N` and `value-N`; the default has no number.
        var suffix: String
        /// The condition; empty for the default.
        var condition: String
        var isText: Bool
        /// Whether the text is the name of a model.
        var isModel: Bool
        var isInApp: Bool
        var isNone: Bool
        /// Whether the value belongs to an experiment, a rollout or a personalization, which the form does not change.
        var isFixed: Bool
        var fixedText: String
        /// The page of the experiment that chooses the value; empty if there is none.
        var experimentPath: String
        var text: String
        /// The problem with the name of a model.
        var problem: String?
    }

    struct Choice: Sendable {
        var value: String
        var title: String
        var isChosen: Bool
    }

    var key: String
    var description: String
    var type: String
    var defaultValue: Value
    var conditionalValues: [Value]

    var types: [Choice] {
        [("STRING", "Text"), ("BOOLEAN", "True or false"), ("NUMBER", "Number"), ("JSON", "JSON")].map {
            Choice(value: $0, title: $1, isChosen: $0 == type || ($0 == "STRING" && type.isEmpty))
        }
    }

    /// Creates the fields of an existing or a new parameter.
    init(
        _ key: String,
        _ parameter: ConfigTemplate.Parameter?,
        in template: ConfigTemplate,
        _ models: ModelParameters
    ) {
        self.key = key
        description = parameter?.description ?? ""
        type = parameter?.valueType ?? ""
        defaultValue = Value("", condition: "", parameter == nil ? .text("") : parameter?.defaultValue)
        let experiments = template.experimentsByCondition
        conditionalValues = template.conditions.enumerated().compactMap { index, condition in
            let value = parameter?.conditionalValues[condition.name]
            // The condition of an experiment is for its own parameter only.
            if experiments[condition.name] != nil, value == nil { return nil }
            return Value("-\(index)", condition: condition.name, value)
        }
        guard let parameter, models.isModelParameter(key, parameter) else { return }
        defaultValue.check(models)
        for index in conditionalValues.indices { conditionalValues[index].check(models) }
    }

    /// Whether a value is the name of a model.
    var hasModel: Bool { defaultValue.isModel || conditionalValues.contains(where: \.isModel) }

    /// Applies the contents of a form.
    mutating func take(_ form: ConsoleForm) {
        key = form["key"]
        description = form["description"]
        type = form["type"]
        defaultValue.take(form)
        for index in conditionalValues.indices { conditionalValues[index].take(form) }
    }

    /// Applies the fields to a parameter.
    func apply(to parameter: inout ConfigTemplate.Parameter) {
        parameter.description = description.isEmpty ? nil : description
        // A parameter without a type keeps having no type.
        if !(type == "STRING" && parameter.valueType == nil) { parameter.valueType = type.isEmpty ? nil : type }
        if !defaultValue.isFixed { parameter.defaultValue = defaultValue.value }
        for value in conditionalValues where !value.isFixed {
            parameter.conditionalValues[value.condition] = value.value
        }
    }
}

extension ParameterFields.Value {
    init(_ suffix: String, condition: String, _ value: ConfigTemplate.Value?) {
        self.suffix = suffix
        self.condition = condition
        (isText, isModel, isInApp, isNone, isFixed) = (false, false, false, false, false)
        (text, fixedText, experimentPath) = ("", "", "")
        switch value {
        case nil: isNone = true
        case .text(let text)?: (isText, self.text) = (true, text)
        case .inAppDefault?: isInApp = true
        case .experiment(let experiment)?:
            (isFixed, fixedText) = (true, experiment.experimentID)
            experimentPath = "/console/experiments/\(Console.encoded(experiment.experimentID))"
        case .rollout(let id, _, let percent)?: (isFixed, fixedText) = (true, "Rollout \(id) at \(percent) %")
        case .personalization(let id)?: (isFixed, fixedText) = (true, "Personalization \(id)")
        }
    }

    /// The value in the form; nil for no value.
    fileprivate var value: ConfigTemplate.Value? {
        isText || isModel ? .text(text) : isInApp ? .inAppDefault : nil
    }

    /// Treats the text as the name of a model.
    fileprivate mutating func check(_ models: ModelParameters) {
        guard isText else { return }
        if !text.contains(where: \.isNewline) { (isText, isModel) = (false, true) }
        problem = models.problem(of: text)
    }

    fileprivate mutating func take(_ form: ConsoleForm) {
        guard !isFixed, let kind = form.fields["kind\(suffix)"] else { return }
        (isText, isModel, isInApp, isNone) = (kind == "text", kind == "model", kind == "app", kind == "none")
        problem = nil
        if isModel {
            text = (form.fields["model\(suffix)"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            return
        }
        // The exact text, because spaces may belong to it. Browsers send line ends as CR LF.
        text = (form.fields["value\(suffix)"] ?? "").replacing("\r\n", with: "\n")
    }
}
