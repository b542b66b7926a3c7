import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol

/// `/v1/projects/{project}/installations` of Firebase Installations.
struct InstallationRoutes {
    let hub: Hub
    /// The registrations of each network that count separately: 60 at once, and another 60 an hour.
    private let registrations = RateLimiter<ClientNetwork>(rate: 60.0 / 3600, burst: 60)

    init(hub: Hub) { self.hub = hub }

    func add(to routes: inout RouteTable) {
        let installations = "v1/projects/{project}/installations"
        let installation = "\(installations)/{installation}"
        let kind = RouteKind(isOpenToOtherSites: true)
        routes.on(.post, at: installations, for: .apiKey, kind: kind, use: register) {
            APIOperation(.apps, "registerInstallation", "Register an installation")
                .explained(
                    "An app registers once. It needs the registration to report outcomes that count, to take part in experiments under its own id, and in projects that require it. Of more than 60 installations that register from one address within an hour, the others count as one until they renew their tokens later."
                )
                .takes(.installationInput)
                .answers("The registered installation.", .installation)
        }
        routes.on(.post, at: "\(installation)/authTokens:generate", for: .installation, kind: kind, use: makeToken) {
            APIOperation(.apps, "refreshInstallation", "Create a new token of an installation")
                .answers("The token.", .authToken)
        }
        routes.on(.delete, at: installation, for: .installation, kind: kind, use: delete) {
            APIOperation(.apps, "deleteInstallation", "Delete an installation")
                .answers("Nothing is stored, so nothing is deleted.", .empty)
        }
        routes.otherwise(below: "v1/projects/*/installations", kind: kind) { request in
            _ = try await project(of: request, named: request.path[2])
            throw HubError.entityNotFound
        }
    }

    private static let bodyLimit = 16 << 10

    @Sendable
    private func register(_ request: APIRequest) async throws -> Response {
        let project = try await project(of: request, named: request["project"])
        let input = try await request.json(InstallationRequest.self, upTo: Self.bodyLimit)
        let fid = input.fid.flatMap { FirebaseInstallationID.isValid($0) ? $0 : nil } ?? FirebaseInstallationID.make()
        let installation = Installation(
            fid: fid,
            app: String((input.appId ?? "").prefix(200)),
            project: project.id,
            crowd: crowd(of: request)
        )
        return try .json(
            InstallationResource(
                name: "projects/\(project.number)/installations/\(fid)",
                fid: fid,
                refreshToken: try hub.refreshToken(for: installation),
                authToken: try authToken(for: installation)
            )
        )
    }

    @Sendable
    private func makeToken(_ request: APIRequest) async throws -> Response {
        var installation = try await installation(of: request)
        if installation.crowd != nil { installation.crowd = crowd(of: request) }
        return try .json(try authToken(for: installation))
    }

    /// The crowd of an installation that registers or renews its token; nil if its network may have another that counts separately.
    /// Forged devices therefore cost time or addresses. Programs on the hub's machine always count, because a proxy that does not name
    /// its clients is one of them.
    private func crowd(of request: APIRequest) -> String? {
        guard !request.client.isThisMachine, registrations.wait(for: request.client.network) != nil else { return nil }
        return SHA256.hash(data: Data("\(request.client.network)".utf8)).prefix(8).map { String($0, radix: 16) }.joined(
            separator: "-"
        )
    }

    private func authToken(for installation: Installation) throws -> InstallationResource.AuthToken {
        let token = try hub.installationToken(for: installation)
        return InstallationResource.AuthToken(token: token, seconds: Hub.installationSeconds)
    }

    /// The hub stores no installations, so it only checks that the request is allowed.
    @Sendable
    private func delete(_ request: APIRequest) async throws -> Response {
        _ = try await installation(of: request)
        return try .json(EmptyObject())
    }

    /// The project of the API key, if it has a name or number.
    private func project(of request: APIRequest, named name: String) async throws -> Project {
        guard let key = request.apiKey, let project = try await hub.project(apiKey: key),
            name == project.id || name == "\(project.number)"
        else { throw HubError.apiKey }
        return project
    }

    /// The installation of a request's refresh token.
    private func installation(of request: APIRequest) async throws -> Installation {
        let project = try await project(of: request, named: request["project"])
        let prefix = "FIS_v2 "
        guard let header = request.headers[.authorization], header.hasPrefix(prefix),
            let installation = hub.installation(refreshToken: String(header.dropFirst(prefix.count))),
            installation.fid == request["installation"], installation.project == project.id
        else {
            throw HubError(
                .unauthenticated,
                "The refresh token belongs to another installation; register this installation again."
            )
        }
        return installation
    }
}
