import Foundation
import HTTPServing
import Hummingbird
import NIOCore
import Synchronization

/// `/healthz`, `/readyz` and `/metrics`.
struct HealthRoutes {
    let hub: Hub
    let metrics: HubMetrics
    /// The bearer token for `/metrics`; nil if only this machine may read the metrics.
    let metricsToken: Secret?
    private let lastReadiness = LastReadiness()

    init(hub: Hub, metrics: HubMetrics, metricsToken: Secret?) {
        self.hub = hub
        self.metrics = metrics
        self.metricsToken = metricsToken
    }

    func add(to routes: inout RouteTable) {
        routes.onAnyMethod(at: "healthz", kind: RouteKind(isQuick: true)) { _ in
            .json(text: #"{"status":"alive"}"#)
        } describedBy: {
            APIOperation(.health, "getHealth", "See whether the hub runs")
                .answers("The hub runs.", .health)
        }
        routes.onAnyMethod(at: "readyz") { _ in
            await readiness()
        } describedBy: {
            APIOperation(.health, "getReadiness", "See whether the hub can serve requests")
                .answers("The hub can serve requests.", .readiness)
                .answers("The hub cannot serve requests.", .readiness, status: 503)
        }
        routes.on(.get, at: "metrics", for: .metricsToken, use: metricsText) {
            APIOperation(.health, "getMetrics", "Get metrics for Prometheus")
                .answers(
                    "The metrics in Prometheus' text format. Without --metrics-token-file, only programs on the hub's machine can read them.",
                    ["text/plain": .text()]
                )
        }
    }

    /// The last response, which several requests share.
    private final class LastReadiness: Sendable {
        private let value = Mutex<(response: Response, time: ContinuousClock.Instant)?>(nil)

        /// The response if it is younger than a duration.
        func response(within lifetime: Duration) -> Response? {
            value.withLock { $0.flatMap { .now - $0.time < lifetime ? $0.response : nil } }
        }

        func set(_ response: Response) { value.withLock { $0 = (response, .now) } }
    }

    private struct Readiness: Encodable {
        var status: String
        var problems: [String]
    }

    /// Everybody may call it, but it writes to the disk at most this often.
    private static let readinessLifetime = Duration.seconds(2)

    /// Whether the hub can serve requests. Without the runtime it still delivers its models, and reports the problem.
    private func readiness() async -> Response {
        if let response = lastReadiness.response(within: Self.readinessLifetime) { return response }
        let response = await checkReadiness()
        lastReadiness.set(response)
        return response
    }

    private func checkReadiness() async -> Response {
        var problems: [String] = []
        do {
            try await hub.records.check()
        } catch {
            problems.append(
                hub.records.isShared
                    ? "The database does not respond or accepts no changes; check its server and the network."
                    : "The database cannot be written; check the disk and the permissions of the data folder."
            )
        }
        do {
            try await hub.blobs.check()
        } catch {
            problems.append(
                (error as? HubError)?.message ?? "The storage of the files cannot be reached; check the network."
            )
        }
        var space = statvfs()
        if statvfs(hub.uploads.path, &space) == 0, UInt64(space.f_bavail) * UInt64(space.f_frsize) < 64 << 20 {
            problems.append("The disk has less than 64 MiB left; free some space.")
        }
        let isReady = problems.isEmpty
        if let problem = await hub.validator.problem() { problems.append(problem) }
        let status = problems.isEmpty ? "ready" : isReady ? "degraded" : "unavailable"
        let response = try? Response.json(
            Readiness(status: status, problems: problems),
            status: isReady ? .ok : .serviceUnavailable
        )
        return response ?? .empty(.serviceUnavailable)
    }

    @Sendable
    private func metricsText(_ request: APIRequest) throws(HubError) -> Response {
        if let metricsToken {
            // Comparing hashes takes the same time for every token.
            guard request.bearerToken.map(Credential.hash(ofSecret:)) == Credential.hash(ofSecret: metricsToken.text)
            else {
                throw HubError(.unauthenticated, "The metrics need the bearer token of --metrics-token-file.")
                    .forWrongCredential
            }
        } else if !request.isFromThisMachine {
            throw HubError(
                .permissionDenied,
                "Only programs on the hub's machine can read the metrics; start the hub with --metrics-token-file to read them from others."
            )
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.server.text))
        )
    }
}
