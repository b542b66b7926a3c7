/// The experiments in a template.
extension ConfigTemplate {
    /// The ids of the experiments whose values are under conditions, by the names of these conditions.
    var experimentsByCondition: [String: String] {
        var ids: [String: String] = [:]
        for parameter in allParameters.values {
            for (name, value) in parameter.conditionalValues {
                if case .experiment(let content) = value { ids[name] = content.experimentID }
            }
        }
        return ids
    }

    /// Adds the exposure of running experiments to values that lack it. Firebase's tools may leave it out.
    mutating func addExposures(of running: [Experiment]) {
        for experiment in running {
            _ = change(parameter: experiment.parameter) { parameter in
                for (name, value) in parameter.conditionalValues {
                    guard case .experiment(var content) = value, content.experimentID == experiment.id,
                        content.exposurePercent == nil
                    else { continue }
                    content.exposurePercent = experiment.exposurePercent
                    parameter.conditionalValues[name] = .experiment(content)
                }
            }
        }
    }

    /// Rejects a value of an experiment that does not run, or that runs with other variants or another exposure.
    func checkExperiments(_ running: [Experiment]) throws(HubError) {
        for (key, parameter) in allParameters.sorted(by: { $0.key < $1.key }) {
            let values = parameter.conditionalValues.sorted { $0.key < $1.key }.map(\.value)
            for case .experiment(let value) in values + [parameter.defaultValue].compactMap(\.self) {
                let experiment = running.first { $0.id == value.experimentID }
                guard let experiment, experiment.parameter == key, experiment.templateValue == .experiment(value) else {
                    throw HubError(
                        .invalidArgument,
                        "The parameter \"\(key)\" has a value of the experiment \"\(value.experimentID)\", which does not run with these "
                            + "variants and this exposure; start, expose and stop experiments with `sightline hub experiment`."
                    )
                }
            }
        }
    }

    /// The reason why installations would leave or enter a running experiment, or change their variant, if this
    /// template replaced another; nil if nothing changes for them.
    func problem(for experiment: Experiment, after current: ConfigTemplate) -> String? {
        let name = experiment.conditionName
        guard let parameter = allParameters[experiment.parameter] else { return "does not have the parameter" }
        guard let index = conditions.firstIndex(where: { $0.name == name }) else {
            return "does not have its condition \"\(name)\""
        }
        guard parameter.conditionalValues[name] == experiment.templateValue else {
            return "gives the parameter no values of the experiment"
        }
        guard conditions[index].expression == current.conditions.first(where: { $0.name == name })?.expression else {
            return "changes the expression of its condition \"\(name)\""
        }
        let earlier = conditions[..<index].first { parameter.conditionalValues[$0.name] != nil }
        return earlier.map { "has the condition \"\($0.name)\" with a value of the parameter before \"\(name)\"" }
    }
}
