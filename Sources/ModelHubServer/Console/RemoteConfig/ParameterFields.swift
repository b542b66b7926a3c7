import Foundation

/// A parameter as its form has it.
struct ParameterFields: Sendable {
    /// A value for a condition, or for all.
    struct Value: Sendable {
        /// Its fields are called `kind-N` and `value-N`; the default has no number.
        var suffix: String
        /// The condition; empty for the default.
        var condition: String
        var isText: Bool
        var isInApp: Bool
        var isNone: Bool
        /// An experiment's, a rollout's or a personalization's, which the form leaves as it is.
        var isFixed: Bool
        var fixedText: String
        var experimentPath: String
        var hasExperiment: Bool
        var text: String
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

    /// A parameter of a template, or a new one.
    init(_ key: String, _ parameter: ConfigTemplate.Parameter?, in template: ConfigTemplate) {
        self.key = key
        description = parameter?.description ?? ""
        type = parameter?.valueType ?? ""
        defaultValue = Value("", condition: "", parameter == nil ? .text("") : parameter?.defaultValue)
        conditionalValues = template.conditions.enumerated().map { index, condition in
            Value("-\(index)", condition: condition.name, parameter?.conditionalValues[condition.name])
        }
    }

    /// What somebody typed, on top of what was there.
    mutating func take(_ form: ConsoleForm) {
        key = form["key"]
        description = form["description"]
        type = form["type"]
        defaultValue.take(form)
        for index in conditionalValues.indices { conditionalValues[index].take(form) }
    }

    /// Gives a parameter what the form says.
    func apply(to parameter: inout ConfigTemplate.Parameter) {
        parameter.description = description.isEmpty ? nil : description
        // A template that came without types keeps having none.
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
        (isText, isInApp, isNone, isFixed, hasExperiment) = (false, false, false, false, false)
        (text, fixedText, experimentPath) = ("", "", "")
        switch value {
        case nil: isNone = true
        case .text(let text)?: (isText, self.text) = (true, text)
        case .inAppDefault?: isInApp = true
        case .experiment(let experiment)?:
            (isFixed, hasExperiment) = (true, true)
            fixedText = experiment.experimentID
            experimentPath = "/console/experiments/\(Console.encoded(experiment.experimentID))"
        case .rollout(let id, _, let percent)?: (isFixed, fixedText) = (true, "Rollout \(id) at \(percent) %")
        case .personalization(let id)?: (isFixed, fixedText) = (true, "Personalization \(id)")
        }
    }

    /// What the form says; nil for no value.
    fileprivate var value: ConfigTemplate.Value? { isText ? .text(text) : isInApp ? .inAppDefault : nil }

    fileprivate mutating func take(_ form: ConsoleForm) {
        guard !isFixed, let kind = form.fields["kind\(suffix)"] else { return }
        (isText, isInApp, isNone) = (kind == "text", kind == "app", kind == "none")
        // As it was typed: blanks may belong to it. Browsers send line ends as CR LF.
        text = (form.fields["value\(suffix)"] ?? "").replacing("\r\n", with: "\n")
    }
}
