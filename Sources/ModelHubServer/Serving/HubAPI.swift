import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// The hub's HTTP interface: which method and path lead to what.
struct HubAPI: Sendable {
    let hub: Hub
    let lastReadiness = Shared<(response: Response, time: ContinuousClock.Instant)?>(nil)
    let sessions: UploadSessions
    let operations: OperationLog
    let files: FileResponder
    let metrics: HubMetrics
    let limiter: RateLimiter?
    /// The address that clients reach the hub at, if the operator said it.
    var publicAddress: String?
    let configs = ConfigCache()
    let outcomeLimiter = RateLimiter(rate: Self.outcomeRate.perSecond, burst: Self.outcomeRate.burst)
    /// Costs more than a request: whoever tries tokens is slowed down.
    let failureLimiter = RateLimiter(rate: 0.5, burst: 50)

    /// Answers a request; errors become answers too.
    func respond(to request: APIRequest, logger: Logger) async -> Response {
        var response = await answer(request, logger)
        if CrossOrigin.isOpen(request) { CrossOrigin.open(&response) }
        return response
    }

    private func answer(_ request: APIRequest, _ logger: Logger) async -> Response {
        do {
            if request.local == nil, let wait = limiter?.wait(for: request.peer) {
                throw HubError(
                    .resourceExhausted,
                    "Too many requests from this address; wait \(max(wait.components.seconds, 1)) s, then try again."
                )
            }
            if Self.isQuick(request) { return try await route(request, logger) }
            // Away from the connection's event loop.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await route(request, logger) }
        } catch let error as HubError {
            if error.code == .unauthenticated, failureLimiter.wait(for: request.peer) != nil {
                return HubError(.resourceExhausted, "Too many failed sign-ins from this address; try again later.")
                    .response
            }
            if error.httpStatus >= 500 { logger.error("failed", metadata: ["reason": "\(error.message)"]) }
            return error.response
        } catch {
            logger.error("failed", metadata: ["reason": "\(error)"])
            return HubError(.internal, "The hub failed; its log says more.").response
        }
    }

    /// Whether a request is answered so quickly that the other connections of the loop may wait for it: downloads and fetches of
    /// configurations, of which there are most.
    private static func isQuick(_ request: APIRequest) -> Bool {
        guard let last = request.path.last else { return false }
        return switch request.method {
        case .get, .head: request.path.first == "files" || last.hasSuffix(":download")
        case .post: last.hasSuffix(":fetch")
        default: false
        }
    }

    private func route(_ request: APIRequest, _ logger: Logger) async throws -> Response {
        let path = request.path
        if request.method == .options, CrossOrigin.isOpen(request) { return CrossOrigin.preflight(request) }
        // Before all others: a bucket may have any name.
        if request.query[SignedObjectRequest.algorithmField] != nil { return try await signedObject(request) }
        switch path.first {
        case "v1beta2" where path.count > 2 && path[1] == "projects":
            return try await management(request)
        case "v1" where path.count > 3 && path[1] == "projects" && path[3] == "installations":
            return try await installations(request)
        case "v1" where path.count > 1 && path[1].prefix(while: { $0 != ":" }) == "operations":
            return try await operations(request)
        case "upload" where path.count > 1, "resumable", "storage", "download":
            return try await storage(request)
        case "files":
            return try await file(request)
        case "hub" where Self.isExperimentPath(request.customMethod?.path ?? path):
            return try await experiments(request)
        case "hub" where path.count > 3 && path[1] == "v1" && path[2] == "projects":
            return try await extensions(request)
        case "console" where request.local == nil:
            return await Console(api: self).respond(to: request, logger: logger)
        case "token" where path.count == 1 && request.method == .post:
            return try await token(request)
        case "v1" where path.count > 3 && path[1] == "projects" && path[3] != "serviceAccounts":
            guard let route = ConfigRoute(request) else { throw HubError.entityNotFound }
            return try await config(request, route)
        case "v1" where path.last == "allowedLocations":
            // Newer google-auth asks for the regions of a service account and goes on without an answer.
            throw HubError.entityNotFound
        case "healthz" where path.count == 1:
            return .json(text: #"{"status":"alive"}"#)
        case "readyz" where path.count == 1:
            return await readiness()
        case "metrics" where path.count == 1 && request.method == .get:
            return metricsText()
        default:
            throw HubError(.notFound, "There is nothing at this address; see the documentation of the hub for its API.")
        }
    }

    /// Whoever sends a request with a bearer token, for the project in its path; `-` stands for the credential's own.
    func caller(_ request: APIRequest, project: String, atLeast role: Role) async throws -> Caller {
        let caller = try await caller(request)
        guard project == "-" || project == caller.project.id || project == "\(caller.project.number)" else {
            throw HubError(
                .permissionDenied,
                "The credential belongs to another project than \"\(project.prefix(64))\"; use one of that project."
            )
        }
        try caller.require(role)
        return caller
    }

    /// Whoever sends a request with a bearer token.
    func caller(_ request: APIRequest) async throws -> Caller {
        if let local = request.local { return local }
        guard let token = request.bearerToken else {
            let hasKey = request.query["key"] != nil || request.headers[.googAPIKey] != nil
            throw HubError(
                .unauthenticated,
                hasKey
                    ? "API keys are not supported by this API; send a bearer token in the Authorization header."
                    : "This needs a bearer token in the Authorization header; `sightline hub key create` makes one."
            )
        }
        return try await hub.caller(bearerToken: token)
    }
}

extension APIRequest {
    /// The token of `Authorization: Bearer …`.
    var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 8192 else { return nil }
        return String(parts[1]).trimmingCharacters(in: .whitespaces)
    }
}

/// A value that several requests share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result { value.withLock(body) }
}
