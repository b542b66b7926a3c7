import Foundation
import ModelHubProtocol

/// The actions of people on rollouts. The hub sorts all devices: an app gets the right version without knowledge of rollouts.
extension Hub {
    /// The rollouts of a project, newest first.
    package func rollouts(by caller: Caller) async throws -> [Rollout] {
        try caller.require(.viewer)
        return try await records.rollouts(of: caller.project.id, limit: 1000)
    }

    /// The rollout with an id, or the newest rollout of the model with a name.
    ///
    /// - Throws: `.notFound`.
    package func rollout(_ name: String, by caller: Caller) async throws -> StoredRollout {
        try caller.require(.viewer)
        guard let stored = try await records.rollout(withIDOrOfModel: name, in: caller.project.id) else {
            throw HubError(
                .notFound,
                "The project \"\(caller.project.id)\" has no rollout \"\(name.prefix(80))\"; `sightline hub rollout list` lists them."
            )
        }
        return stored
    }

    /// The present comparisons of a rollout.
    package func evidence(of stored: StoredRollout) async throws -> RolloutEvidence {
        try await records.evidence(of: stored.rollout.id, in: stored.project)
    }

    /// Starts a rollout of a version of a published model, with the first step of its plan.
    ///
    /// - Parameters:
    ///   - name: The name of the model.
    ///   - version: The version that devices get.
    ///   - plan: The plan.
    ///   - caller: The caller, who must have the role publisher.
    /// - Throws: `.invalidArgument` if the plan cannot be followed; `.notFound` if there is no such model or version;
    ///   `.failedPrecondition` if the model is not published, serves the version, or has an active rollout.
    package func startRollout(
        ofModelNamed name: String,
        to version: Int,
        _ plan: RolloutPlan,
        by caller: Caller
    ) async throws -> Rollout {
        try caller.require(.publisher)
        if let problem = plan.problem { throw HubError(.invalidArgument, "The plan cannot be followed: \(problem).") }
        guard let model = try await records.model(named: name, of: caller.project.id) else {
            throw HubError(
                .notFound,
                "The project \"\(caller.project.id)\" has no model \"\(name.prefix(80))\"; `sightline hub list` shows the existing models."
            )
        }
        let newVersion = try await records.versions(of: model.id).version(version, of: model)
        guard model.isPublished, let served = model.file?.version else {
            throw HubError(
                .failedPrecondition,
                "Devices cannot download \(name) yet, so there is nothing to roll out over; publish it with `sightline hub promote`."
            )
        }
        guard served != version else {
            throw HubError(
                .failedPrecondition,
                "All devices already get version \(version) of \(name); name a version that is not served."
            )
        }
        if let formats = try await formatChange(of: model.id, from: served, to: version) {
            throw HubError(
                .failedPrecondition,
                "Version \(version) of \(name) is a model in the format \(formats.new.title) and the served version \(served) one in the format "
                    + "\(formats.old.title), which not all clients read, so that their results cannot be compared; publish the new file under "
                    + "another name, or serve it to all with `sightline hub promote \(name) \(version)`."
            )
        }
        if let key = plan.parameter { try await checkParameter(key, by: caller) }
        let rollout = Rollout(
            id: try await newRolloutID(model, version, caller),
            model: (model.id, model.displayName),
            versions: (served, version),
            plan: plan,
            at: now(),
            by: caller.actor
        )
        try await signRollout(of: model, to: newVersion, by: caller)
        let detail =
            "version \(version) instead of \(served), steps \(plan.steps.map { "\($0)" }.joined(separator: " ")), "
            + "each \(plan.seconds) s, guards \(plan.guards.map(\.text).joined(separator: " "))"
        try await records.insert(
            rollout,
            of: caller.project.id,
            audit: audit(
                caller,
                "rollout.start",
                Self.target(rollout.id, caller.project.id),
                detail,
                event: .rolloutStarted
            )
        )
        // If this fails, the next look does it.
        try? await settleParameter(of: rollout, caller)
        return rollout
    }

    /// An id that neither a rollout nor an experiment has. It is short enough for a seed of a condition.
    private func newRolloutID(_ model: ModelRecord, _ version: Int, _ caller: Caller) async throws -> String {
        let base = "\(model.displayName.prefix(18))-v\(version)"
        for number in 1...1000 {
            let id = number == 1 ? base : "\(base)-\(number)"
            guard try await records.rollout(id, of: caller.project.id) == nil,
                try await records.experiment(id, of: caller.project.id) == nil
            else { continue }
            return id
        }
        throw HubError(
            .resourceExhausted,
            "Version \(version) of \(model.displayName) was rolled out too often; add it as a new version."
        )
    }

    static func target(_ id: String, _ project: String) -> String { "projects/\(project)/rollouts/\(id)" }

    /// An action of a person on a rollout.
    package enum RolloutAction: String, Sendable, CaseIterable {
        case pause, resume, finish, abort

        fileprivate var event: WebhookEvent? {
            switch self {
            case .pause, .resume: nil
            case .finish: .rolloutFinished
            case .abort: .rolloutAborted
            }
        }
    }

    /// Pauses, resumes, finishes or aborts a rollout.
    ///
    /// - Parameter name: The id of the rollout, or the name of its model.
    /// - Throws: `.failedPrecondition` if the state of the rollout does not allow the action.
    package func change(_ name: String, _ action: RolloutAction, by caller: Caller) async throws -> Rollout {
        try caller.require(.publisher)
        for _ in 0..<16 {
            let stored = try await rollout(name, by: caller)
            var rollout = stored.rollout
            let time = now()
            let isPossible =
                switch action {
                case .pause: rollout.pause(at: time, by: caller.actor)
                case .resume: rollout.resume(at: time, by: caller.actor)
                case .finish: rollout.finish(at: time, by: caller.actor)
                case .abort: rollout.abort(at: time, by: caller.actor)
                }
            guard isPossible else {
                throw HubError(
                    .failedPrecondition,
                    "The rollout \(rollout.id) is \(rollout.state.rawValue), so you cannot \(action.rawValue) it; "
                        + "`sightline hub rollout show \(rollout.id)` shows its state."
                )
            }
            let entry = audit(
                caller,
                "rollout.\(action.rawValue)",
                Self.target(rollout.id, stored.project),
                rollout.reason,
                event: action.event
            )
            if !rollout.isActive { try? await settleParameter(of: rollout, caller) }
            if try await save(rollout, stored.curve, replacing: stored, entry) { return rollout }
        }
        throw HubError(.aborted, "The rollout changes too often at the same time; try again.")
    }

    /// Stores a rollout; false if it changed meanwhile. A finished rollout serves its version in the same transaction. Then the hub signs
    /// the version that all devices get, if it keeps a key and there is need.
    func save(
        _ rollout: Rollout,
        _ curve: RolloutCurve,
        replacing stored: StoredRollout,
        _ entry: AuditEntry?
    ) async throws -> Bool {
        var served: (model: ModelRecord, etag: String)?
        if rollout.state == .finished, stored.rollout.isActive,
            var model = try await records.model(rollout.model, of: stored.project)
        {
            let etag = model.etag
            let versions = try await records.versions(of: model.id)
            model.serve(try versions.version(rollout.newVersion, of: model))
            model.updateTime = max(now(), model.updateTime.advanced(by: .milliseconds(1)))
            model.etag = Self.makeEtag()
            served = (model, etag)
        }
        do {
            guard try await records.replace(stored, by: rollout, curve, serving: served, audit: entry) else {
                return false
            }
            // If this fails, the next look does it.
            if !rollout.isActive { try? await signReturns() }
            return true
        } catch let error as HubError where error.code == .aborted && served != nil {
            // Somebody changed the model's card or tags meanwhile.
            return false
        }
    }
}
