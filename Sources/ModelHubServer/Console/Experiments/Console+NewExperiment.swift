import Foundation
import Hummingbird

/// Starting an experiment with a parameter and models that exist.
extension Console {
    /// The fields in the form of a new experiment.
    struct ExperimentFields: Sendable {
        struct Variant: Sendable {
            var number: Int
            var title: String
            var id: String
            var value: String
            /// A value that is not the name of a published model.
            var other = ""
            var choices: [ParameterFields.Choice] = []
            var weight: String
            var isFirst: Bool
            /// Whether the form shows the variant only on demand.
            var isFurther: Bool
            var isUnchanged: Bool
        }

        static let variantCount = 4

        var id = ""
        var parameter = ""
        /// The key of a parameter that the template does not have.
        var newParameter = ""
        var condition = ""
        var exposure = "100"
        var variants = (0..<variantCount).map { index in
            Variant(
                number: index,
                title: index == 0 ? "First variant (control)" : "Variant \(index + 1)",
                id: index == 0 ? "control" : index == 1 ? "b" : "",
                value: "",
                weight: "1",
                isFirst: index == 0,
                isFurther: index > 1,
                isUnchanged: index == 0
            )
        }

        init() {}

        init(_ form: ConsoleForm) {
            (id, condition, exposure) = (form["id"], form["condition"], form["exposure"])
            newParameter = form["new-parameter"]
            parameter = newParameter.isEmpty ? form["parameter"] : newParameter
            for index in variants.indices {
                variants[index].id = form["variant-\(index)"]
                variants[index].other = form["other-\(index)"]
                variants[index].value = variants[index].other.isEmpty ? form["value-\(index)"] : variants[index].other
                variants[index].weight = form["weight-\(index)"]
                variants[index].isUnchanged = form["unchanged-\(index)"] == "yes"
                variants[index].isFurther = index > 1 && variants[index].id.isEmpty
            }
        }

        /// - Throws: `.invalidArgument` if a field is not a number.
        func plan() throws(HubError) -> ExperimentPlan {
            guard let exposure = Double(exposure) else {
                throw HubError(.invalidArgument, "The exposure must be a percentage, such as 50.")
            }
            var chosen: [Experiment.Variant] = []
            for variant in variants where !variant.id.isEmpty {
                guard let weight = Int(variant.weight) else {
                    throw HubError(
                        .invalidArgument,
                        "The weight of \"\(variant.id)\" must be a whole number, such as 1."
                    )
                }
                let value = variant.isUnchanged ? nil : variant.value
                chosen.append(.init(id: variant.id, value: value, weight: weight))
            }
            return ExperimentPlan(
                id: id,
                parameter: parameter,
                condition: condition.isEmpty ? nil : condition,
                variants: chosen,
                exposurePercent: exposure
            )
        }
    }

    private struct NewPage: Sendable {
        var fields: ExperimentFields
        var conditions: [ParameterFields.Choice]
        var parameters: [ParameterFields.Choice]
        /// Whether the form opens the field of a new parameter.
        var isNewParameter: Bool
    }

    /// The fields that an experiment with the model in the address begins with.
    func experimentFields(_ visit: ConsoleVisit) async throws -> ExperimentFields {
        var fields = ExperimentFields()
        guard let model = visit.request.query["model"], !model.isEmpty else { return fields }
        fields.variants[1].value = model
        let template = try await hub.configTemplate(by: visit.caller).template
        let models = try await ModelParameters(of: visit.caller.project.id, hub)
        // The parameter that gives out the model, or any other one whose values are models.
        let keys = template.allParameters.filter { models.isModelParameter($0.key, $0.value) }.keys.sorted()
        let giving = keys.first { key in template.allParameters[key]?.defaultValue?.texts.contains(model) == true }
        fields.parameter = giving ?? keys.first ?? ""
        return fields
    }

    /// A parameter with its present value.
    private static func title(of key: String, _ parameter: ConfigTemplate.Parameter?) -> String {
        guard let value = parameter?.defaultValue?.texts.first, !value.isEmpty else { return key }
        return "\(key), now \(value.count > 40 ? value.prefix(40) + "…" : value)"
    }

    func newExperimentPage(
        _ visit: ConsoleVisit,
        _ fields: ExperimentFields,
        error: HubError? = nil
    ) async throws -> Response {
        let template = try await hub.configTemplate(by: visit.caller).template
        let running = template.experimentsByCondition
        let models = try await publishedModels(visit).map(\.displayName)
        let keys = template.allParameters.keys.sorted()
        var fields = fields
        if !keys.contains(fields.parameter), fields.newParameter.isEmpty { fields.newParameter = fields.parameter }
        for index in fields.variants.indices {
            let value = fields.variants[index].value
            if !models.contains(value) { fields.variants[index].other = value }
            fields.variants[index].choices =
                [.init(value: "", title: "Choose a model", isChosen: !models.contains(value))]
                + models.map { .init(value: $0, title: $0, isChosen: $0 == value) }
        }
        return .page(
            "experiment-new",
            ConsoleChrome(title: "New experiment", visit: visit, error: error),
            NewPage(
                fields: fields,
                conditions: [.init(value: "", title: "All installations", isChosen: fields.condition.isEmpty)]
                    + template.conditions.filter { running[$0.name] == nil }.map {
                        .init(value: $0.name, title: $0.name, isChosen: $0.name == fields.condition)
                    },
                parameters: keys.map { key in
                    .init(
                        value: key,
                        title: Self.title(of: key, template.allParameters[key]),
                        isChosen: key == fields.parameter
                    )
                },
                isNewParameter: keys.isEmpty || !fields.newParameter.isEmpty
            )
        )
    }

    @Sendable
    func startExperiment(_ visit: ConsoleVisit) async throws -> Response {
        let fields = ExperimentFields(try await ConsoleForm(visit))
        do {
            let experiment = try await hub.startExperiment(try fields.plan(), origin: "CONSOLE", by: visit.caller)
            return try await change(visit, thenTo: Self.path(ofExperiment: experiment.id)) {
                let warning = try await modelWarning(about: experiment, visit)
                return "The experiment is running; apps take part with their next fetch.\(warning)"
            }
        } catch let error as HubError where error.isRefusedForm {
            return try await newExperimentPage(visit, fields, error: error)
        }
    }
}
