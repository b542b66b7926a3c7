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
            try await newExperimentPage(visit, try await experimentFields(visit))
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
    func modelWarning(about experiment: Experiment, _ visit: ConsoleVisit) async throws -> String {
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
}
