import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// The operations that Firebase offers only in its console: `/hub/v1/projects/{project}/experiments`, and `…/outcomes`
/// for reports of apps.
struct ExperimentRoutes {
    let hub: Hub
    private let limiter = RateLimiter<String>(rate: Self.outcomeRate.perSecond, burst: Self.outcomeRate.burst)

    init(hub: Hub) { self.hub = hub }

    func add(to routes: inout RouteTable) {
        let project = "hub/v1/projects/{project}"
        let kind = RouteKind(isFromApps: true)
        routes.on(.post, at: "\(project)/outcomes", for: .app(.publisher), kind: kind, use: addOutcomes) {
            APIOperation(.apps, "reportOutcomes", "Report the results of experiments")
                .explained(
                    "Send the installation token: results with only the API key are counted, but not compared. Add up the results on the device, and send a batch from time to time: at most one per second from each installation. After an error of the network, 429 or 5xx, send the same batch again later, with the same `batchId`; after another 4xx, discard it. A batch counts once within 30 days."
                )
                .takes(.outcomeBatch)
                .answers("The hub has the batch.", .outcomeReceipt)
        }
        let experiments = "\(project)/experiments"
        routes.on(.get, at: experiments, for: .viewer, use: list) {
            APIOperation(.experiments, "listExperiments", "List experiments")
                .answers("All experiments.", .experimentList)
        }
        routes.on(.post, at: experiments, for: .publisher, use: start) {
            APIOperation(.experiments, "startExperiment", "Start an experiment")
                .explained("Variants and weights are fixed while the experiment runs.")
                .takes(.experimentInput)
                .answers("The experiment.", .experiment)
        }
        routes.on(.get, at: "\(experiments)/{experiment}", for: .viewer, use: outcome) {
            APIOperation(.experiments, "getExperiment", "Get an experiment with its results")
                .answers("The results.", .experimentResults)
        }
        routes.on(.post, at: "\(experiments)/{experiment}:expose", for: .publisher, use: expose) {
            APIOperation(.experiments, "exposeExperiment", "Let more installations take part")
                .takes(
                    .fields([
                        "exposurePercent": .number("Greater than before.", atLeast: 0, atMost: 100)
                    ])
                )
                .answers("The experiment.", .experiment)
        }
        routes.on(.post, at: "\(experiments)/{experiment}:stop", for: .publisher, use: stop) {
            APIOperation(.experiments, "stopExperiment", "Stop an experiment")
                .takes(
                    .fields([
                        "winner?": .text(
                            "The variant that all installations get. Absent: the value without the experiment."
                        )
                    ])
                )
                .answers("The experiment.", .experiment)
        }
    }

    private struct PlanInput: Decodable {
        struct Variant: Decodable {
            var variantId: String
            var value: String?
            var weight: Int?
        }

        var experimentId: String
        var parameter: String
        var condition: String?
        var variants: [Variant]
        var exposurePercent: Double?
    }

    private struct ExposureInput: Decodable {
        var exposurePercent: Double
    }

    private struct StopInput: Decodable {
        var winner: String?
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(ExperimentList(experiments: try await hub.experiments(by: caller).map { ExperimentResource($0) }))
    }

    @Sendable
    private func start(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let input = try await request.json(PlanInput.self)
        let plan = ExperimentPlan(
            id: input.experimentId,
            parameter: input.parameter,
            condition: input.condition,
            variants: input.variants.map { .init(id: $0.variantId, value: $0.value, weight: $0.weight ?? 1) },
            exposurePercent: input.exposurePercent ?? 100
        )
        return try .json(ExperimentResource(try await hub.startExperiment(plan, by: caller)))
    }

    @Sendable
    private func outcome(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try .json(OutcomeResource(try await hub.outcome(of: request["experiment"], by: caller)))
    }

    @Sendable
    private func expose(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let percent = try await request.json(ExposureInput.self).exposurePercent
        let experiment = try await hub.exposeExperiment(request["experiment"], percent: percent, by: caller)
        return try .json(ExperimentResource(experiment))
    }

    @Sendable
    private func stop(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let winner = try await request.json(StopInput.self).winner
        let experiment = try await hub.stopExperiment(request["experiment"], winner: winner, by: caller)
        return try .json(ExperimentResource(experiment))
    }

    /// The number of batches that an installation may send; those without a token count by their address. Each batch
    /// costs the database writer some milliseconds, so it also counts as several requests of the address.
    static let outcomeRate = (perSecond: 1.0, burst: 10.0, cost: 8.0)

    /// Receives a batch of an app, which presents the same credentials as for a download.
    @Sendable
    private func addOutcomes(_ request: APIRequest) async throws -> Response {
        let name = request["project"]
        let project: Project
        var reporter = Hub.Reporter.unidentified
        if request.local != nil || request.bearerToken != nil {
            project = try await hub.caller(request, project: name, atLeast: .publisher).project
            reporter = .publisher
        } else {
            guard let key = request.apiKey,
                let known = try await hub.project(apiKey: key), name == known.id || name == "\(known.number)"
            else { throw HubError.apiKey }
            project = known
            // A token must be valid even if it is not required, because it identifies the reporter.
            let token = request.headers[.installationToken]
            if token != nil || project.requiresInstallation {
                reporter = .installation(try hub.requireInstallation(token, of: project))
            }
            try checkRate(of: reporter, project, request)
        }
        let body = Array(try await request.smallBody(upTo: OutcomeBatch.Limits.textLength).readableBytesView)
        var installation: String?
        if case .installation(let known) = reporter { installation = known.countedAs }
        let batch = try OutcomeBatch(body, installation: installation)
        return try .json(try await hub.add(batch, by: reporter, to: project))
    }

    private func checkRate(of reporter: Hub.Reporter, _ project: Project, _ request: APIRequest) throws(HubError) {
        let name =
            if case .installation(let installation) = reporter { "installation \(installation.fid)" } else {
                "address \(request.client.network)"
            }
        let waits = [
            limiter.wait(for: "\(project.id) \(name)"),
            request.limiter?.wait(for: request.client.network, taking: Self.outcomeRate.cost),
        ]
        guard let wait = waits.compactMap(\.self).max() else { return }
        throw HubError(
            .resourceExhausted,
            "Too many batches of outcomes from this installation or address; wait \(wait.wholeSeconds) s, then send it again.",
            retryAfter: wait
        )
    }
}
