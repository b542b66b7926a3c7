import Foundation
import Hummingbird
import NIOCore

/// `/readyz` and `/metrics`.
extension HubAPI {
    private struct Readiness: Encodable {
        var status: String
        var problems: [String]
    }

    /// Anybody may ask, but the disk is written for it at most this often.
    private static let readinessLifetime = Duration.seconds(2)

    /// Whether requests can be served. Without the runtime the hub still ships what it has, and says what it lacks.
    func readiness() async -> Response {
        if let known = lastReadiness.withLock({ $0 }), .now - known.time < Self.readinessLifetime {
            return known.response
        }
        let response = await examineReadiness()
        lastReadiness.withLock { $0 = (response, .now) }
        return response
    }

    private func examineReadiness() async -> Response {
        var problems: [String] = []
        do {
            try await hub.metadata.check()
        } catch {
            problems.append("The database cannot be written; check the disk and the permissions of the data folder.")
        }
        var space = statvfs()
        if statvfs(hub.uploads.path, &space) == 0, UInt64(space.f_bavail) * UInt64(space.f_frsize) < 64 << 20 {
            problems.append("The disk has less than 64 MiB left; make room on it.")
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
        // Hashes are compared, so that the time that it takes says nothing of the token.
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
