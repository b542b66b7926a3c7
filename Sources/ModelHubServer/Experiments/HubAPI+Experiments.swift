import Foundation
import Hummingbird

/// The operations that Firebase offers only in its console: `/hub/v1/projects/{project}/experiments`, and `…/outcomes`
/// for reports of apps.
extension HubAPI {
    static func isExperimentPath(_ path: [String]) -> Bool {
        guard path.count > 4, path.starts(with: ["hub", "v1", "projects"]) else { return false }
        return ["experiments", "outcomes"].contains(path[4])
    }

    private struct List: Encodable {
        var experiments: [ExperimentResource]
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

    func experiments(_ request: APIRequest) async throws -> Response {
        let custom = request.customMethod
        let path = custom?.path ?? request.path
        switch (path.count, path[4], custom?.verb, request.method) {
        case (5, "outcomes", nil, .post):
            return try await addOutcomes(request, project: path[3])
        case (5, "experiments", nil, .get):
            let caller = try await caller(request, project: path[3], atLeast: .read)
            return try .json(List(experiments: try await hub.experiments(by: caller).map(ExperimentResource.init)))
        case (5, "experiments", nil, .post):
            let caller = try await caller(request, project: path[3], atLeast: .publish)
            let input = try await request.json(PlanInput.self)
            let plan = ExperimentPlan(
                id: input.experimentId,
                parameter: input.parameter,
                condition: input.condition,
                variants: input.variants.map { .init(id: $0.variantId, value: $0.value, weight: $0.weight ?? 1) },
                exposurePercent: input.exposurePercent ?? 100
            )
            return try .json(ExperimentResource(try await hub.startExperiment(plan, by: caller)))
        case (6, "experiments", nil, .get):
            let caller = try await caller(request, project: path[3], atLeast: .read)
            return try .json(OutcomeResource(try await hub.outcome(of: path[5], by: caller)))
        case (6, "experiments", "expose", .post):
            let caller = try await caller(request, project: path[3], atLeast: .publish)
            let input = try await request.json(ExposureInput.self)
            return try .json(
                ExperimentResource(
                    try await hub.exposeExperiment(path[5], percent: input.exposurePercent, by: caller)
                )
            )
        case (6, "experiments", "stop", .post):
            let caller = try await caller(request, project: path[3], atLeast: .publish)
            let input = try await request.json(StopInput.self)
            return try .json(
                ExperimentResource(try await hub.stopExperiment(path[5], winner: input.winner, by: caller))
            )
        default: throw HubError.entityNotFound
        }
    }

    /// The number of batches that an installation may send; those without a token count by their address. Each batch
    /// costs the database writer some milliseconds, so it also counts as several requests of the address.
    static let outcomeRate = (perSecond: 1.0, burst: 10.0, cost: 8.0)

    /// Receives a batch of an app, which presents the same credentials as for a download.
    private func addOutcomes(_ request: APIRequest, project name: String) async throws -> Response {
        let project: Project
        var reporter = Hub.Reporter.unidentified
        if request.local != nil || request.bearerToken != nil {
            project = try await caller(request, project: name, atLeast: .publish).project
            reporter = .publisher
        } else {
            guard let key = request.query["key"] ?? request.headers[.googAPIKey],
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
        if case .installation(let known) = reporter { installation = known.fid }
        let batch = try OutcomeBatch(body, installation: installation)
        return try .json(try await hub.add(batch, by: reporter, to: project))
    }

    private func checkRate(of reporter: Hub.Reporter, _ project: Project, _ request: APIRequest) throws(HubError) {
        let name =
            if case .installation(let installation) = reporter { "installation \(installation.fid)" } else {
                "address \(request.client.network)"
            }
        let waits = [
            outcomeLimiter.wait(for: "\(project.id) \(name)"),
            limiter?.wait(for: request.client.network, taking: Self.outcomeRate.cost),
        ]
        guard let wait = waits.compactMap(\.self).max() else { return }
        throw HubError(
            .resourceExhausted,
            "Too many batches of outcomes from this installation or address; wait \(wait.wholeSeconds) s, then send it again.",
            retryAfter: wait
        )
    }
}
