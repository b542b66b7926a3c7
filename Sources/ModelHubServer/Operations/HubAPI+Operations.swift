import Foundation
import Hummingbird
import NIOCore

/// `/readyz` and `/metrics`.
extension HubAPI {
    private struct Readiness: Encodable {
        var status: String
        var problems: [String]
    }

    /// Everybody may call it, but it writes to the disk at most this often.
    private static let readinessLifetime = Duration.seconds(2)

    /// Whether the hub can serve requests. Without the runtime it still delivers its models, and reports the problem.
    func readiness() async -> Response {
        if let known = lastReadiness.withLock({ $0 }), .now - known.time < Self.readinessLifetime {
            return known.response
        }
        let response = await checkReadiness()
        lastReadiness.withLock { $0 = (response, .now) }
        return response
    }

    private func checkReadiness() async -> Response {
        var problems: [String] = []
        do {
            try await hub.metadata.check()
        } catch {
            problems.append("The database cannot be written; check the disk and the permissions of the data folder.")
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

    func metricsText(_ request: APIRequest) throws(HubError) -> Response {
        // Comparing hashes takes the same time for every token.
        if let metricsToken,
            request.bearerToken.map(Credential.hash(ofSecret:)) != Credential.hash(ofSecret: metricsToken)
        {
            throw HubError(.unauthenticated, "The metrics need the bearer token of --metrics-token-file.")
                .forWrongCredential
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text))
        )
    }
}
