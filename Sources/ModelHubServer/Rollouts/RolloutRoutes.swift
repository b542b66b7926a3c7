import HTTPServing
import Hummingbird
import ModelHubProtocol

/// Guarded rollouts: `/hub/v1/projects/{project}/rollouts`.
struct RolloutRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let rollouts = "hub/v1/projects/{project}/rollouts"
        routes.on(.get, at: rollouts, for: .viewer, use: list) {
            APIOperation(.rollouts, "listRollouts", "List rollouts")
                .answers("The newest rollouts, newest first.", .rolloutList)
        }
        routes.on(.post, at: rollouts, for: .publisher, use: start) {
            APIOperation(.rollouts, "startRollout", "Start a rollout")
                .explained(
                    "The devices of the first step get the version with their next download. Steps follow by time and evidence. If a guard finds a change for the worse, all devices return to the served version."
                )
                .takes(.rolloutInput)
                .answers("The rollout.", .rollout)
        }
        routes.on(.get, at: "\(rollouts)/{rollout}", for: .viewer, use: get) {
            APIOperation(.rollouts, "getRollout", "Get a rollout with its comparisons")
                .parameters(.rollout)
                .answers("The rollout.", .rollout)
        }
        for (action, summary) in Self.actions {
            routes.on(.post, at: "\(rollouts)/{rollout}:\(action.rawValue)", for: .publisher) { request, caller in
                try .json(RolloutResource(try await hub.change(request["rollout"], action, by: caller)))
            } describedBy: {
                APIOperation(.rollouts, "\(action.rawValue)Rollout", summary)
                    .parameters(.rollout)
                    .answers("The rollout.", .rollout)
            }
        }
    }

    private static let actions: [(action: Hub.RolloutAction, summary: String)] = [
        (.pause, "Take no further steps for now"), (.resume, "Resume the steps of a paused rollout"),
        (.finish, "Give all devices the new version"), (.abort, "Return all devices to the old version"),
    ]

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(RolloutList(rollouts: try await hub.rollouts(by: caller).map { RolloutResource($0) }))
    }

    @Sendable
    private func start(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let input = try await request.json(RolloutInput.self)
        var plan = RolloutPlan()
        if let steps = input.steps { plan.steps = steps }
        if let seconds = input.everySeconds { plan.seconds = seconds }
        if let guards = input.guards { plan.guards = try guards.map(RolloutGuard.init(named:)) }
        plan.parameter = input.parameter
        let rollout = try await hub.startRollout(ofModelNamed: input.model, to: input.version, plan, by: caller)
        try await hub.noteLabelChange(
            of: (rollout.model, rollout.modelName),
            from: rollout.oldVersion,
            to: rollout.newVersion,
            request.logger
        )
        return try .json(RolloutResource(rollout))
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let stored = try await hub.rollout(request["rollout"], by: caller)
        return try .json(RolloutResource(stored.rollout, try await hub.evidence(of: stored)))
    }
}

extension APIParameter {
    fileprivate static let rollout = path(
        "rollout",
        "The id of the rollout, or the name of its model for the model's newest rollout."
    )
}

extension RolloutGuard {
    /// The guard with a text.
    ///
    /// - Throws: `.invalidArgument` with the possible texts.
    init(named text: String) throws(HubError) {
        guard let known = Self(text) else {
            throw HubError(
                .invalidArgument,
                "\"\(text.prefix(60))\" is not a guard; use failures, latency, confidence, or score: and the name of a score that the app reports."
            )
        }
        self = known
    }
}
