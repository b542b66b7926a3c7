import Foundation

/// A parameter of Remote Config that shows apps their group in a rollout, because Firebase's SDKs show no headers of downloads.
///
/// Two conditions divide the devices as downloads do, since `percent` has the same buckets. The hub compares the template with the rollout
/// at each check, and repairs it. It removes the conditions before it records the end of a rollout, so that a crash leaves none behind.
extension Hub {
    /// Brings the template in line with a rollout.
    func settleParameter(of rollout: Rollout, _ caller: Caller) async throws {
        guard let key = rollout.plan.parameter else { return }
        let groups = rollout.isActive ? Self.conditions(of: rollout) : []
        try await replacing("*", in: .client, by: caller) { current in
            var template = current.template
            let names = Set(RolloutGroup.reported.map { Self.conditionName(rollout.id, $0) })
            template.conditions.removeAll { names.contains($0.name) }
            template.conditions.insert(contentsOf: groups.map(\.condition), at: 0)
            if !groups.isEmpty, template.allParameters[key] == nil { template.parameters[key] = .init() }
            _ = template.change(parameter: key) { parameter in
                for name in names { parameter.conditionalValues[name] = nil }
                for group in groups { parameter.conditionalValues[group.condition.name] = .text(group.value) }
            }
            // The parameter is removed with the conditions if it has no other values.
            if groups.isEmpty, template.parameters[key] == .init() { template.parameters[key] = nil }
            guard template != current.template else { return }
            try template.check()
            var version = newVersion("REST_API", "INCREMENTAL_UPDATE", caller)
            version.description =
                rollout.isActive
                ? "The rollout \(rollout.id) is at \(RolloutText.percent(rollout.share))"
                : "The rollout \(rollout.id) ended"
            _ = try await publish(
                template,
                version,
                in: .client,
                replacing: current.etag,
                by: caller,
                "config.publish"
            )
        }
    }

    /// The hub as the author of a template that follows a rollout.
    func rolloutCaller(_ rollout: Rollout, in project: String) async throws -> Caller? {
        guard rollout.plan.parameter != nil, let project = try await records.project(project) else { return nil }
        return Caller(project: project, role: .publisher, actor: "rollout \(rollout.id)")
    }

    /// Refuses a parameter that an experiment uses, or that has another kind of values.
    func checkParameter(_ key: String, by caller: Caller) async throws {
        guard ConfigTemplate.isKey(key) else { throw HubError(.invalidArgument, ConfigTemplate.keyRule(key) + ".") }
        let running = try await records.runningExperiments(of: caller.project.id).first { $0.parameter == key }
        if let running {
            throw HubError(
                .failedPrecondition,
                "The experiment \"\(running.id)\" already uses the parameter \"\(key)\"; name another parameter."
            )
        }
        let template = try await configTemplate(by: caller).template
        guard let problem = ConfigTemplate.problem(of: "id new", template.allParameters[key]?.valueType) else { return }
        throw HubError(.invalidArgument, "The parameter \"\(key)\" cannot show a group: \(problem).")
    }

    private static func conditionName(_ id: String, _ group: RolloutGroup) -> String {
        "rollout \(id) \(group.rawValue)"
    }

    private static func conditions(
        of rollout: Rollout
    ) -> [(condition: ConfigTemplate.Condition, value: String)] {
        let compared = min(rollout.share, 100 - rollout.share)
        return RolloutGroup.reported.map { group in
            let bound = group == .new ? compared : 100 - compared
            let text = RolloutText.number(bound, 6)
            let expression = "percent('\(rollout.id)') \(group == .new ? "<=" : ">") \(text)"
            return (
                .init(name: conditionName(rollout.id, group), expression: expression), "\(rollout.id) \(group.rawValue)"
            )
        }
    }
}

extension RolloutGroup {
    /// The groups that report.
    fileprivate static let reported: [RolloutGroup] = [.new, .old]
}
