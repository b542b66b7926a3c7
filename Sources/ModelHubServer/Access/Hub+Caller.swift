import Foundation
import HTTPServing
import HTTPTypes

/// The callers of requests.
extension Hub {
    /// The sender of a request with a bearer token, or of a command on the hub's machine.
    func identity(of request: APIRequest) async throws -> Identity {
        if let local = request.local { return local }
        guard let token = request.bearerToken else {
            throw HubError(
                .unauthenticated,
                request.apiKey != nil
                    ? "API keys are not supported by this API; send a bearer token in the Authorization header."
                    : "This needs a bearer token in the Authorization header; create a token with `sightline hub token create`."
            )
        }
        return try await identity(bearerToken: token)
    }

    /// The caller with a bearer token, for the project in the path; `-` stands for the caller's own project.
    func caller(_ request: APIRequest, project: String, atLeast role: Role) async throws -> Caller {
        let caller = try await caller(
            try await identity(of: request),
            in: project == "-" ? request.ownProject : project
        )
        try caller.require(role)
        return caller
    }

    /// The caller with a bearer token, for the caller's own project.
    func caller(_ request: APIRequest) async throws -> Caller {
        try await caller(try await identity(of: request), in: request.ownProject)
    }

    /// An identity as a caller in a project, by its id or number; `-` or nil stands for the only project of the identity.
    func caller(_ identity: Identity, in name: String?) async throws -> Caller {
        if let own = identity.onlyProject {
            // A single project is known without a look-up of the named project.
            guard let project = try await records.project(own), let caller = Caller(identity, in: project) else {
                throw HubError.otherProject(own)
            }
            let isOwn = name == nil || name == "-" || name == project.id || name == "\(project.number)"
            guard isOwn else { throw HubError.otherProject(name ?? "-") }
            return caller
        }
        if let name, name != "-" {
            guard let project = try await records.project(name), let caller = Caller(identity, in: project) else {
                // Only callers with a role in all projects learn whether a project exists.
                throw identity.hubRole == nil
                    ? HubError.otherProject(name)
                    : HubError(.notFound, "The hub has no project \"\(name.prefix(64))\".")
            }
            return caller
        }
        let projects = try await projects(of: identity)
        guard let project = projects.first, projects.count == 1, let caller = Caller(identity, in: project) else {
            throw HubError(
                .invalidArgument,
                projects.isEmpty
                    ? "The credential is valid in no project; ask an owner of a project for a role."
                    : "The credential is valid in several projects; name the project (--project, or the header X-Goog-User-Project)."
            )
        }
        return caller
    }

    /// The projects in which an identity has a role, by id.
    func projects(of identity: Identity) async throws -> [Project] {
        try await records.projects().filter { identity.role(in: $0.id) != nil }
    }
}

extension APIRequest {
    /// The caller if a command on the hub's machine sends the request; nil for requests over the network.
    var local: Identity? { client.isLocal ? .local : nil }

    /// The API key of an app.
    var apiKey: String? { query["key"] ?? headers[.googAPIKey] }

    /// The project that a caller with several projects means where the path names none.
    var ownProject: String? { headers[.googUserProject] }
}

extension HubError {
    static let apiKey = HubError(
        .permissionDenied,
        "The API key is missing, unknown, expired, revoked or belongs to another project; create a key with `sightline hub key create --api-key`."
    ).forWrongCredential

    fileprivate static func otherProject(_ name: String) -> HubError {
        HubError(
            .permissionDenied,
            "The credential belongs to another project than \"\(name.prefix(64))\"; use a credential of that project."
        )
    }
}
