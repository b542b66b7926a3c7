import Foundation
import Hummingbird

/// Pages about experiments: the list, a new experiment, and their actions.
extension Console {
    static let experimentsPath = "/console/experiments"

    func addExperiments(to routes: inout RouteTable) {
        let experiments = "console/experiments"
        page(at: experiments, in: &routes, use: experimentList)
        publisherForm(at: experiments, in: &routes, use: startExperiment)
        page(at: "\(experiments)/\(Self.newName)", for: .publisher, in: &routes) { visit in
            try await newExperimentPage(visit, ExperimentFields())
        }
        let experiment = "\(experiments)/{experiment}"
        page(at: experiment, in: &routes) { try await experimentPage($0, $0.request["experiment"]) }
        publisherForm(at: "\(experiment)/exposure", in: &routes, use: changeExposure)
        publisherForm(at: "\(experiment)/stop", in: &routes, use: stopExperiment)
    }

    @Sendable
    private func changeExposure(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let id = visit.request["experiment"]
        guard let percent = Double(form["exposure"]) else {
            throw HubError(.invalidArgument, "The exposure must be a percentage, such as 50.")
        }
        return try await change(visit, thenTo: Self.path(ofExperiment: id)) {
            _ = try await hub.exposeExperiment(id, percent: percent, origin: "CONSOLE", by: visit.caller)
            return "\(ConsoleText.plain(percent)) % of the installations now take part."
        }
    }

    @Sendable
    private func stopExperiment(_ visit: ConsoleVisit) async throws -> Response {
        let winner = try await ConsoleForm(visit)["winner"]
        let id = visit.request["experiment"]
        return try await change(visit, thenTo: Self.path(ofExperiment: id)) {
            let experiment = try await hub.stopExperiment(
                id,
                winner: winner.isEmpty ? nil : winner,
                origin: "CONSOLE",
                by: visit.caller
            )
            let warning = try await modelWarning(about: experiment, visit)
            return winner.isEmpty
                ? "The experiment was stopped; all installations get the value without the experiment.\(warning)"
                : "The experiment was stopped; all installations get the value of the variant \(winner).\(warning)"
        }
    }

    /// Warns about values of an experiment's parameter that should be names of models, and are not.
    private func modelWarning(about experiment: Experiment, _ visit: ConsoleVisit) async throws -> String {
        let template = try await hub.configTemplate(by: visit.caller).template
        let models = try await ModelParameters(of: visit.caller.project.id, hub)
        return Self.warning(models.problems(of: experiment.parameter, in: template))
    }

    static func path(ofExperiment id: String) -> String { "\(experimentsPath)/\(encoded(id))" }

    private struct ListPage: Sendable {
        struct Row: Sendable {
            var id: String
            var path: String
            var parameter: String
            var variants: String
            var exposure: String
            var isRunning: Bool
            var started: ConsoleTime
            var result: String
        }

        var rows: [Row]
    }

    @Sendable
    private func experimentList(_ visit: ConsoleVisit) async throws -> Response {
        let experiments = try await hub.experiments(by: visit.caller)
        return .page(
            "experiments",
            ConsoleChrome(title: "Experiments", visit: visit),
            ListPage(
                rows: experiments.map { experiment in
                    .init(
                        id: experiment.id,
                        path: Self.path(ofExperiment: experiment.id),
                        parameter: experiment.parameter,
                        variants: experiment.variants.map(\.id).joined(separator: ", "),
                        exposure: "\(ConsoleText.plain(experiment.exposurePercent)) %",
                        isRunning: experiment.isRunning,
                        started: ConsoleTime(experiment.startTime),
                        result: experiment.isRunning ? "" : experiment.winner.map { "\($0) for all" } ?? "Stopped"
                    )
                }
            )
        )
    }

    /// The fields in the form of a new experiment.
    struct ExperimentFields: Sendable {
        struct Variant: Sendable {
            var number: Int
            var title: String
            var id: String
            var value: String
            var weight: String
            var isFirst: Bool
            /// Whether the form shows the variant only on demand.
            var isFurther: Bool
            var isUnchanged: Bool
        }

        static let variantCount = 4

        var id = ""
        var parameter = ""
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
            (id, parameter, condition, exposure) = (form["id"], form["parameter"], form["condition"], form["exposure"])
            for index in variants.indices {
                variants[index].id = form["variant-\(index)"]
                variants[index].value = form["value-\(index)"]
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
        var parameters: [String]
        var models: [String]
    }

    private func newExperimentPage(
        _ visit: ConsoleVisit,
        _ fields: ExperimentFields,
        error: HubError? = nil
    ) async throws -> Response {
        let template = try await hub.configTemplate(by: visit.caller).template
        let running = template.experimentsByCondition
        return .page(
            "experiment-new",
            ConsoleChrome(title: "New experiment", visit: visit, error: error),
            NewPage(
                fields: fields,
                conditions: [.init(value: "", title: "All installations", isChosen: fields.condition.isEmpty)]
                    + template.conditions.filter { running[$0.name] == nil }.map {
                        .init(value: $0.name, title: $0.name, isChosen: $0.name == fields.condition)
                    },
                parameters: template.allParameters.keys.sorted(),
                models: try await publishedModels(visit)
            )
        )
    }

    @Sendable
    private func startExperiment(_ visit: ConsoleVisit) async throws -> Response {
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
