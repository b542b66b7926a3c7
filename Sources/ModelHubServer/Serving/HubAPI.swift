import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// The hub's HTTP interface: the methods and paths, and their operations.
struct HubAPI: Sendable {
    let hub: Hub
    let lastReadiness = Shared<(response: Response, time: ContinuousClock.Instant)?>(nil)
    let sessions: UploadSessions
    let operations: OperationLog
    let files: FileResponder
    let metrics: HubMetrics
    let limiter: RateLimiter<ClientNetwork>?
    /// The address by which clients reach the hub, if the operator set it.
    var publicAddress: String?
    let configs = ConfigCache()
    let guesses = GuessLimiter()
    /// The bearer token for `/metrics`; nil if the metrics are public.
    var metricsToken: String?
    let outcomeLimiter = RateLimiter<String>(rate: Self.outcomeRate.perSecond, burst: Self.outcomeRate.burst)

    /// Responds to a request; errors become responses too.
    func respond(to request: APIRequest, logger: Logger) async -> Response {
        var response = await answer(request, logger)
        if CrossOrigin.isOpen(request) { CrossOrigin.open(&response) }
        return response
    }

    private func answer(_ request: APIRequest, _ logger: Logger) async -> Response {
        let credential = request.local == nil ? request.shownCredential : nil
        do {
            if credential != nil { try guesses.check(request.client) }
            if request.kind.isQuick { return try await route(request, logger) }
            return try await BlockingExecutor.run { try await route(request, logger) }
        } catch {
            let error = HubError.answer(to: error, logger)
            if error.isWrongCredential, let credential { guesses.count(credential, from: request.client, logger) }
            return error.response
        }
    }

    private func route(_ request: APIRequest, _ logger: Logger) async throws -> Response {
        let path = request.path
        if request.method == .options, CrossOrigin.isOpen(request) { return CrossOrigin.preflight(request) }
        // Checked first, because a bucket may have any name.
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
            return try await token(request, logger)
        case "v1" where path.count > 3 && path[1] == "projects" && path[3] != "serviceAccounts":
            guard let route = ConfigRoute(request) else { throw HubError.entityNotFound }
            return try await config(request, route)
        case "v1" where path.last == "allowedLocations":
            // New versions of google-auth request the regions of a service account and continue without a response.
            throw HubError.entityNotFound
        case "healthz" where path.count == 1:
            return .json(text: #"{"status":"alive"}"#)
        case "readyz" where path.count == 1:
            return await readiness()
        case "metrics" where path.count == 1 && request.method == .get:
            return try metricsText(request)
        default:
            throw HubError.nothingHere
        }
    }

    /// The caller with a bearer token, for the project in the path; `-` stands for the credential's own project.
    func caller(_ request: APIRequest, project: String, atLeast role: Role) async throws -> Caller {
        let caller = try await caller(request)
        guard project == "-" || project == caller.project.id || project == "\(caller.project.number)" else {
            throw HubError(
                .permissionDenied,
                "The credential belongs to another project than \"\(project.prefix(64))\"; use a credential of that project."
            )
        }
        try caller.require(role)
        return caller
    }

    /// The caller with a bearer token.
    func caller(_ request: APIRequest) async throws -> Caller {
        if let local = request.local { return local }
        guard let token = request.bearerToken else {
            let hasKey = request.query["key"] != nil || request.headers[.googAPIKey] != nil
            throw HubError(
                .unauthenticated,
                hasKey
                    ? "API keys are not supported by this API; send a bearer token in the Authorization header."
                    : "This needs a bearer token in the Authorization header; create a token with `sightline hub key create`."
            )
        }
        return try await hub.caller(bearerToken: token)
    }
}

extension APIRequest {
    /// The presented token, key or signature, for recognizing it again.
    var shownCredential: String? {
        headers[.authorization] ?? query["key"] ?? headers[.googAPIKey] ?? query["signature"]
            ?? query[SignedObjectRequest.signatureField]
    }

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
