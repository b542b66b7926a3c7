import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// API keys, key files and tokens: `/hub/v1/projects/{project}/keys` for those of a project, `/hub/v1/tokens` for the
/// tokens of the calling person, and `/hub/v1/keys` for the tokens that are valid in the whole hub.
struct KeyRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let (ofProject, ofPerson, ofHub) = ("hub/v1/projects/{project}/keys", "hub/v1/tokens", "hub/v1/keys")
        routes.on(.get, at: ofProject, for: .owner) {
            try await list($0, .project($1.project.id), $1.identity)
        } describedBy: {
            Self.listing("listKeys", "List the keys and tokens of a project")
        }
        routes.on(.post, at: ofProject, for: .owner) {
            try await create($0, .project($1.project.id), $1.identity)
        } describedBy: {
            Self.creation("createKey", "Create a key or token of a project")
        }
        routes.on(.delete, at: "\(ofProject)/{key}", for: .owner) {
            try await revoke($0, .project($1.project.id), $1.identity)
        } describedBy: {
            Self.revocation("revokeKey", "Revoke a key or token of a project")
        }
        routes.onHub(.get, at: ofPerson, for: nil) {
            try await list($0, try owner($1), $1)
        } describedBy: {
            Self.listing("listKeysOfPerson", "List the tokens of the caller")
        }
        routes.onHub(.post, at: ofPerson, for: nil) {
            try await create($0, try owner($1), $1)
        } describedBy: {
            Self.creation("createKeyOfPerson", "Create a token of the caller")
        }
        routes.onHub(.delete, at: "\(ofPerson)/{key}", for: nil) {
            try await revoke($0, try owner($1), $1)
        } describedBy: {
            Self.revocation("revokeKeyOfPerson", "Revoke a token of the caller")
        }
        routes.onHub(.get, at: ofHub, for: .administrator) {
            try await list($0, .hub, $1)
        } describedBy: {
            Self.listing("listKeysOfHub", "List the tokens of the whole hub")
        }
        routes.onHub(.post, at: ofHub, for: .administrator) {
            try await create($0, .hub, $1)
        } describedBy: {
            Self.creation("createKeyOfHub", "Create a token of the whole hub")
        }
        routes.onHub(.delete, at: "\(ofHub)/{key}", for: .administrator) {
            try await revoke($0, .hub, $1)
        } describedBy: {
            Self.revocation("revokeKeyOfHub", "Revoke a token of the whole hub")
        }
        for area in [ofPerson, ofHub] { routes.otherwise(below: area) { _ in throw HubError.entityNotFound } }
    }

    private static func listing(_ id: String, _ summary: String) -> APIOperation {
        APIOperation(.access, id, summary).parameters(.pageSize, .pageToken).answers("A page of keys.", .keyPage)
    }

    private static func creation(_ id: String, _ summary: String) -> APIOperation {
        APIOperation(.access, id, summary)
            .takes(.keyInput)
            .answers("The key, with its secret. It is shown only here.", .key)
    }

    private static func revocation(_ id: String, _ summary: String) -> APIOperation {
        APIOperation(.access, id, summary)
            .explained("It ends at once, with everything that it created.")
            .answers("The revoked key.", .key)
    }

    private func owner(_ identity: Identity) throws(HubError) -> Credential.Owner {
        guard let person = identity.person else { throw HubError.noPersonCalls }
        return .person(person)
    }

    private func list(
        _ request: APIRequest,
        _ owner: Credential.Owner,
        _ identity: Identity
    ) async throws -> Response {
        let page = try ListPage(try await hub.credentials(of: owner, by: identity), request) { $0.id }
        return try .json(KeyPage(keys: page.elements.map { resource($0) }, nextPageToken: page.nextToken))
    }

    private func create(
        _ request: APIRequest,
        _ owner: Credential.Owner,
        _ identity: Identity
    ) async throws -> Response {
        let input = try await request.json(KeyInput.self)
        guard let kind = Credential.Kind(rawValue: input.kind ?? Credential.Kind.token.rawValue) else {
            throw HubError(.invalidArgument, "The kind of a key is api-key, service-account, token or signing.")
        }
        var plan = CredentialPlan(
            kind,
            role: try input.role.map { try Role.required($0) }
                ?? min(kind.usualRole, identity.highestRole ?? kind.usualRole),
            name: input.name,
            owner: owner
        )
        plan.lifetime = try Self.lifetime(input.ttl)
        plan.address = input.address ?? request.base
        plan.existingKey = input.key
        if input.publicKey != nil, kind != .signing {
            throw HubError(
                .invalidArgument,
                "publicKey belongs to signing keys; set kind to signing, or leave publicKey out."
            )
        }
        plan.publicKey = input.publicKey
        if case .person = owner { plan.project = input.project }
        let issued = try await hub.createCredential(plan, by: identity)
        var resource = resource(issued.credential)
        resource.secret = issued.secret
        resource.keyFile = issued.keyFile
        return try .json(resource)
    }

    private func revoke(
        _ request: APIRequest,
        _ owner: Credential.Owner,
        _ identity: Identity
    ) async throws -> Response {
        try .json(resource(try await hub.revokeCredential(request["key"], of: owner, by: identity)))
    }

    private func resource(_ credential: Credential) -> KeyResource {
        var resource = KeyResource(credential)
        guard credential.kind == .signing else { return resource }
        resource.publicKey = credential.publicKey
        resource.isKept = hub.signingKeys.contains(credential.id)
        return resource
    }

    /// A duration such as `3600s`, in the form of Google's APIs.
    static func lifetime(_ text: String?) throws(HubError) -> Duration? {
        guard let text else { return nil }
        guard text.hasSuffix("s"), let seconds = Int64(text.dropLast()), (0...1_000_000_000).contains(seconds) else {
            throw HubError(.invalidArgument, "ttl must be a number of seconds such as 7776000s, or 0s for no end.")
        }
        return .seconds(seconds)
    }
}

extension Credential.Kind {
    /// The role of a new credential whose creator names none. The Admin SDKs also delete models.
    package var usualRole: Role {
        switch self {
        case .apiKey, .signing: .viewer
        case .token: .publisher
        case .serviceAccount: .editor
        }
    }
}

extension KeyResource {
    fileprivate init(_ credential: Credential) {
        self.init(
            id: credential.id,
            name: credential.name,
            kind: credential.kind.rawValue,
            role: credential.role.rawValue,
            project: credential.project,
            person: credential.person,
            createTime: "\(credential.createTime)",
            expireTime: credential.expiry.map { "\($0)" },
            lastUseTime: credential.useTime.map { "\($0)" },
            revokeTime: credential.revokeTime.map { "\($0)" }
        )
    }
}
