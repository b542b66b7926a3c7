import Foundation

/// The plan of a new experiment.
package struct ExperimentPlan: Sendable, Hashable {
    /// The experiment's id, new in the project.
    package var id: String
    /// The parameter. A new parameter is added without a default value.
    package var parameter: String
    /// A condition of the template that selects installations; nil for all installations.
    package var condition: String?
    /// The variants; the first is the control variant.
    package var variants: [Experiment.Variant]
    /// The percentage of the selected installations that take part.
    package var exposurePercent: Double

    /// Creates a plan. By default the experiment applies to all installations.
    package init(
        id: String,
        parameter: String,
        condition: String? = nil,
        variants: [Experiment.Variant],
        exposurePercent: Double = 100
    ) {
        self.id = id
        self.parameter = parameter
        self.condition = condition
        self.variants = variants
        self.exposurePercent = exposurePercent
    }
}

/// Experiments start, grow and stop with a new version of the template, in a single transaction.
extension Hub {
    /// The experiments of a project, newest first.
    package func experiments(by caller: Caller) async throws -> [Experiment] {
        try caller.require(.viewer)
        return try await records.experiments(of: caller.project.id)
    }

    /// The experiment with an id.
    ///
    /// - Throws: `.notFound`.
    package func experiment(_ id: String, by caller: Caller) async throws -> Experiment {
        try caller.require(.viewer)
        guard let experiment = try await records.experiment(id, of: caller.project.id) else {
            throw HubError(
                .notFound,
                "The project \"\(caller.project.id)\" has no experiment \"\(id.prefix(60))\"; `sightline hub experiment show` lists them."
            )
        }
        return experiment
    }

    /// Starts an experiment. A new condition is added at the beginning of the template, and the parameter has the
    /// variants under it.
    ///
    /// Installations that do not take part get the previous value of the parameter.
    ///
    /// - Parameters:
    ///   - plan: The plan of the experiment.
    ///   - origin: The tool that starts it.
    ///   - caller: The caller, who must have the role publisher.
    package func startExperiment(
        _ plan: ExperimentPlan,
        origin: String = "REST_API",
        by caller: Caller
    ) async throws -> Experiment {
        try caller.require(.publisher)
        try Self.check(plan)
        if let known = try await records.experiment(plan.id, of: caller.project.id) {
            throw HubError(
                .alreadyExists,
                "There \(known.isRunning ? "is" : "was") an experiment \"\(plan.id)\" already; choose another id, so that installations are "
                    + "drawn again."
            )
        }
        guard try await records.rollout(plan.id, of: caller.project.id) == nil else {
            throw HubError(.alreadyExists, "There is a rollout \"\(plan.id)\"; choose another id.")
        }
        let running = try await records.runningExperiments(of: caller.project.id).first {
            $0.parameter == plan.parameter
        }
        if let running {
            throw HubError(
                .failedPrecondition,
                "The experiment \"\(running.id)\" already uses the parameter \"\(plan.parameter)\"; stop it first."
            )
        }
        try await checkFormats(of: plan, by: caller)
        let experiment = Experiment(
            id: plan.id,
            parameter: plan.parameter,
            condition: plan.condition,
            variants: plan.variants,
            exposurePercent: plan.exposurePercent,
            startTime: now()
        )
        return try await change(experiment, origin: origin, by: caller, "experiment.start") { template in
            var expression = "true"
            if let name = plan.condition {
                guard let condition = template.conditions.first(where: { $0.name == name }) else {
                    throw HubError(
                        .notFound,
                        "The template has no condition \"\(name.prefix(100))\"; `sightline hub config get` shows the existing conditions."
                    )
                }
                expression = condition.expression
            }
            template.conditions.removeAll { $0.name == experiment.conditionName }
            template.conditions.insert(.init(name: experiment.conditionName, expression: expression), at: 0)
            if template.allParameters[plan.parameter] == nil { template.parameters[plan.parameter] = .init() }
            for variant in plan.variants {
                guard let value = variant.value,
                    let problem = ConfigTemplate.problem(
                        of: value,
                        template.allParameters[plan.parameter]?.valueType
                    )
                else { continue }
                throw HubError(.invalidArgument, "The variant \"\(variant.id)\" has no valid value: \(problem).")
            }
            _ = template.change(parameter: plan.parameter) { parameter in
                parameter.conditionalValues[experiment.conditionName] = experiment.templateValue
            }
        }
    }

    /// Increases the number of installations that take part. It cannot decrease, because installations would change
    /// their variant.
    package func exposeExperiment(
        _ id: String,
        percent: Double,
        origin: String = "REST_API",
        by caller: Caller
    ) async throws -> Experiment {
        try caller.require(.publisher)
        var experiment = try await runningExperiment(id, by: caller)
        guard percent >= experiment.exposurePercent, percent <= 100 else {
            throw HubError(
                .invalidArgument,
                "The exposure of \"\(id)\" is \(experiment.exposurePercent.formatted()) % and can only grow, up to 100; stop the experiment to end it."
            )
        }
        experiment.exposurePercent = percent
        return try await change(experiment, origin: origin, by: caller, "experiment.expose") { [experiment] template in
            _ = template.change(parameter: experiment.parameter) { parameter in
                guard parameter.conditionalValues[experiment.conditionName] != nil else { return }
                parameter.conditionalValues[experiment.conditionName] = experiment.templateValue
            }
        }
    }

    /// Stops an experiment. All installations get the value without the experiment, or the winner's value.
    ///
    /// For an experiment with a condition the winner's value becomes the value of that condition, otherwise the value
    /// for all installations.
    package func stopExperiment(
        _ id: String,
        winner: String? = nil,
        origin: String = "REST_API",
        by caller: Caller
    ) async throws -> Experiment {
        try caller.require(.publisher)
        var experiment = try await runningExperiment(id, by: caller)
        let variant = experiment.variants.first { $0.id == winner }
        guard winner == nil || variant != nil else {
            throw HubError(
                .invalidArgument,
                "The experiment \"\(id)\" has no variant \"\(winner?.prefix(60) ?? "")\"; it has "
                    + "\(experiment.variants.map(\.id).joined(separator: ", "))."
            )
        }
        experiment.stopTime = now()
        experiment.winner = winner
        return try await change(experiment, origin: origin, by: caller, "experiment.stop") { [experiment] template in
            template.conditions.removeAll { $0.name == experiment.conditionName }
            let isConditionKnown = template.conditions.contains { $0.name == experiment.condition }
            _ = template.change(parameter: experiment.parameter) { parameter in
                parameter.conditionalValues[experiment.conditionName] = nil
                guard let value = variant?.value else { return }
                if let condition = experiment.condition, isConditionKnown {
                    parameter.conditionalValues[condition] = .text(value)
                } else if experiment.condition == nil {
                    parameter.defaultValue = .text(value)
                }
            }
        }
    }

    private func runningExperiment(_ id: String, by caller: Caller) async throws -> Experiment {
        let experiment = try await experiment(id, by: caller)
        guard experiment.isRunning else {
            throw HubError(
                .failedPrecondition,
                "The experiment \"\(id)\" was stopped at \(experiment.stopTime ?? now())."
            )
        }
        return experiment
    }

    /// Changes the template for an experiment; repeats the change if the template changed meanwhile.
    private func change(
        _ experiment: Experiment,
        origin: String,
        by caller: Caller,
        _ action: String,
        _ body: (inout ConfigTemplate) throws -> Void
    ) async throws -> Experiment {
        try await replacing("*", in: .client, by: caller) { current in
            var template = current.template
            try body(&template)
            // The new template must also satisfy the rules: the number of conditions and the length of all values.
            try template.check()
            var version = newVersion(origin, "INCREMENTAL_UPDATE", caller)
            let verb =
                switch action {
                case "experiment.start": "Started"
                case "experiment.stop": "Stopped"
                default: "Changed"
                }
            version.description = "\(verb) the experiment \(experiment.id)"
            _ = try await publish(
                template,
                version,
                in: .client,
                replacing: current.etag,
                experiment: experiment,
                by: caller,
                action
            )
            return experiment
        }
    }

    private static func check(_ plan: ExperimentPlan) throws(HubError) {
        guard Experiment.isID(plan.id) else { throw HubError(.invalidArgument, Experiment.idRule(plan.id) + ".") }
        guard ConfigTemplate.isKey(plan.parameter) else {
            throw HubError(.invalidArgument, ConfigTemplate.keyRule(plan.parameter) + ".")
        }
        guard (2...Experiment.variantLimit).contains(plan.variants.count) else {
            throw HubError(
                .invalidArgument,
                "An experiment has 2 to \(Experiment.variantLimit) variants, not \(plan.variants.count)."
            )
        }
        var ids: Set<String> = []
        for variant in plan.variants {
            guard Experiment.isID(variant.id) else {
                throw HubError(.invalidArgument, Experiment.idRule(variant.id) + ".")
            }
            guard ids.insert(variant.id).inserted else {
                throw HubError(.invalidArgument, "There are two variants \"\(variant.id)\".")
            }
            guard (1...Experiment.weightLimit).contains(variant.weight) else {
                throw HubError(
                    .invalidArgument,
                    "The variant \"\(variant.id)\" has the weight \(variant.weight); use a whole number from 1 to \(Experiment.weightLimit)."
                )
            }
        }
        let byteCount = plan.variants.reduce(0) { $0 + ($1.value?.utf8.count ?? 0) }
        guard byteCount <= Experiment.valueLimit else {
            throw HubError(
                .invalidArgument,
                "The values of the variants have \(byteCount) bytes in total, more than \(Experiment.valueLimit); use the names of files or models "
                    + "instead of their contents."
            )
        }
        guard plan.exposurePercent > 0, plan.exposurePercent <= 100 else {
            throw HubError(
                .invalidArgument,
                "The exposure must be above 0 % and at most 100 %, not \(plan.exposurePercent.formatted()) %."
            )
        }
    }
}
