import Foundation
import HTTPServing
import Hummingbird

/// The experiments and rollouts of a project, for Firebase's command line and REST API:
/// `/v1/projects/{project}/namespaces/firebase/experiments` and `…/rollouts`.
///
/// Source of the resources: Firebase's REST reference of `projects.namespaces.experiments` and `…rollouts`.
struct FirebaseExperimentRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let namespace = "v1/projects/{project}/namespaces/\(ConfigNamespace.client.rawValue)"
        let (experiments, rollouts) = ("\(namespace)/experiments", "\(namespace)/rollouts")
        let (experiment, rollout) = ("\(experiments)/{experiment}", "\(rollouts)/{rollout}")
        routes.on(.get, at: experiments, for: .viewer, use: listExperiments) {
            APIOperation(.remoteConfig, "listFirebaseExperiments", "List experiments, for Firebase's command line")
                .parameters(.pageSize, .pageToken)
                .answers("A page of the list.", .firebaseExperimentPage)
        }
        routes.on(.get, at: experiment, for: .viewer, use: getExperiment) {
            APIOperation(.remoteConfig, "getFirebaseExperiment", "Get an experiment, for Firebase's command line")
                .answers("The experiment.", .firebaseExperiment)
        }
        routes.on(.delete, at: experiment, for: .publisher, use: deleteExperiment) {
            APIOperation(.remoteConfig, "deleteFirebaseExperiment", "Refuse to delete an experiment")
                .answers("The hub keeps experiments and their results.", .error, status: 400)
        }
        routes.on(.get, at: rollouts, for: .viewer, use: listRollouts) {
            APIOperation(.remoteConfig, "listFirebaseRollouts", "List rollouts, for Firebase's command line")
                .parameters(.pageSize, .pageToken)
                .answers("A page of the list.", .firebaseRolloutPage)
        }
        routes.on(.get, at: rollout, for: .viewer, use: getRollout) {
            APIOperation(.remoteConfig, "getFirebaseRollout", "Get a rollout, for Firebase's command line")
                .answers("The rollout.", .firebaseRollout)
        }
        routes.on(.delete, at: rollout, for: .publisher, use: deleteRollout) {
            APIOperation(.remoteConfig, "deleteFirebaseRollout", "Refuse to delete a rollout")
                .answers("A rollout is a value in the template.", .error, status: 400)
        }
        for path in [experiments, experiment, rollouts, rollout] { routes.refuseOtherMethods(at: path) }
    }

    // MARK: - Resources

    private struct Variant: Encodable {
        var name: String
        var weight: Double
    }

    private struct Resource<Definition: Encodable>: Encodable {
        var name: String
        var definition: Definition
        /// `RUNNING` or `DONE`.
        var state: String
        var createTime: String?
        var startTime: String?
        var endTime: String?
        var lastUpdateTime: String
        var etag: String
    }

    private struct ExperimentDefinition: Encodable {
        struct Objectives: Encodable {
            var activationEvent = EmptyObject()
            var eventObjectives: [EmptyObject] = []
        }

        var displayName: String
        var service = Self.service
        var description: String
        var objectives = Objectives()
        var variants: [Variant]

        static let service = "EXPERIMENT_SERVICE_REMOTE_CONFIG"
    }

    private struct RolloutDefinition: Encodable {
        var displayName: String
        var description: String
        var service = ExperimentDefinition.service
        var controlVariant: Variant
        var enabledVariant: Variant
    }

    private static func name(_ kind: String, _ id: String, _ project: Project) -> String {
        "projects/\(project.number)/namespaces/\(ConfigNamespace.client.rawValue)/\(kind)/\(id)"
    }

    private static func resource(_ experiment: Experiment, _ project: Project) -> Resource<ExperimentDefinition> {
        let end = experiment.stopTime.map { "\($0)" }
        return Resource(
            name: name("experiments", experiment.id, project),
            definition: ExperimentDefinition(
                displayName: experiment.id,
                description:
                    "The parameter \(experiment.parameter), for \(experiment.exposurePercent.formatted()) % of "
                    + (experiment.condition.map { "\"\($0)\"" } ?? "all installations"),
                variants: experiment.variants.map { Variant(name: $0.id, weight: Double($0.weight)) }
            ),
            state: experiment.isRunning ? "RUNNING" : "DONE",
            startTime: "\(experiment.startTime)",
            endTime: end,
            lastUpdateTime: end ?? "\(experiment.startTime)",
            etag: "etag-\(project.number)-\(experiment.id)-\(experiment.isRunning ? "running" : "done")"
        )
    }

    /// The rollouts in the newest template. The hub does not store since when.
    private func rollouts(by caller: Caller) async throws -> [(id: String, resource: Resource<RolloutDefinition>)] {
        let published = try await hub.configTemplate(by: caller)
        let (version, etag) = (published.version, published.etag)
        // A rollout may set several parameters.
        var known: Set<String> = []
        return published.template.allParameters.sorted { $0.key < $1.key }.flatMap { key, parameter in
            parameter.conditionalValues.sorted { $0.key < $1.key }.compactMap { condition, value in
                guard case .rollout(let id, let text, let percent) = value, known.insert(id).inserted else {
                    return nil
                }
                let resource = Resource(
                    name: Self.name("rollouts", id, caller.project),
                    definition: RolloutDefinition(
                        displayName: id,
                        description: "The value \"\(text.prefix(60))\" of the parameter \(key) under \"\(condition)\"",
                        controlVariant: Variant(name: "control", weight: 100 - percent),
                        enabledVariant: Variant(name: "enabled", weight: percent)
                    ),
                    state: "RUNNING",
                    lastUpdateTime: "\(version.updateTime)",
                    etag: etag
                )
                return (id, resource)
            }
        }
    }

    // MARK: - Methods

    private struct ExperimentPage: Encodable {
        var experiments: [Resource<ExperimentDefinition>]
        var nextPageToken: String?
    }

    private struct RolloutPage: Encodable {
        var rollouts: [Resource<RolloutDefinition>]
        var nextPageToken: String?
    }

    private static func refuseFilter(_ request: APIRequest) throws(HubError) {
        guard request.query["filter"]?.isEmpty ?? true else {
            throw HubError(.invalidArgument, "This hub does not filter this list; send the request without a filter.")
        }
    }

    @Sendable
    private func listExperiments(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try Self.refuseFilter(request)
        let page = try ListPage(try await hub.experiments(by: caller), request) { $0.id }
        let experiments = page.elements.map { Self.resource($0, caller.project) }
        return try .json(ExperimentPage(experiments: experiments, nextPageToken: page.nextToken))
    }

    @Sendable
    private func getExperiment(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(Self.resource(try await hub.experiment(request["experiment"], by: caller), caller.project))
    }

    @Sendable
    private func deleteExperiment(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let experiment = try await hub.experiment(request["experiment"], by: caller)
        // Firebase's command line looks for these words.
        throw HubError(
            .failedPrecondition,
            experiment.isRunning
                ? "The experiment \"\(experiment.id)\" is running and cannot be deleted; stop it with `sightline hub experiment stop "
                    + "\(experiment.id)`."
                : "The hub keeps the results of stopped experiments such as \"\(experiment.id)\"; there is nothing to do."
        )
    }

    @Sendable
    private func listRollouts(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try Self.refuseFilter(request)
        let page = try ListPage(try await rollouts(by: caller), request) { $0.id }
        return try .json(RolloutPage(rollouts: page.elements.map(\.resource), nextPageToken: page.nextToken))
    }

    private func rollout(_ request: APIRequest, _ caller: Caller) async throws -> Resource<RolloutDefinition> {
        let id = request["rollout"]
        guard let found = try await rollouts(by: caller).first(where: { $0.id == id }) else {
            throw HubError(
                .notFound,
                "The template of the project \"\(caller.project.id)\" has no rollout \"\(id.prefix(60))\"."
            )
        }
        return found.resource
    }

    @Sendable
    private func getRollout(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(try await rollout(request, caller))
    }

    @Sendable
    private func deleteRollout(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        _ = try await rollout(request, caller)
        throw HubError(
            .failedPrecondition,
            "A rollout is a value in the template; publish a template with another value in its place."
        )
    }
}
