import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// People and their roles: `/hub/v1/projects/{project}/people`, and `/hub/v1/people` for the administrators of the hub.
struct PersonRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let ofProject = "hub/v1/projects/{project}/people"
        routes.on(.get, at: ofProject, for: .owner) {
            try await list($0, $1.project, $1.identity)
        } describedBy: {
            APIOperation(.access, "listPeople", "List the people of a project")
                .parameters(.pageSize, .pageToken)
                .answers("A page of people.", .personPage)
        }
        routes.on(.put, at: "\(ofProject)/{person}", for: .owner) {
            try await grant($0, $1.project, $1.identity)
        } describedBy: {
            APIOperation(.access, "grantRole", "Give a person a role of a project")
                .takes(.grantInput)
                .answers("The person.", .person)
        }
        routes.on(.delete, at: "\(ofProject)/{person}", for: .owner) {
            try await remove($0, $1.project, $1.identity)
        } describedBy: {
            APIOperation(.access, "removeRole", "Remove a role of a project")
                .answers("The role is removed.", .empty)
        }
        routes.on(.post, at: "\(ofProject)/{person}:createSignInLink", for: .owner) {
            try await link($0, $1.project, $1.identity)
        } describedBy: {
            APIOperation(.access, "createSignInLink", "Create a link that signs a person of a project in")
                .answers("The link.", .signInLink)
        }
        let ofHub = "hub/v1/people"
        routes.onHub(.get, at: ofHub, for: .administrator) {
            try await list($0, nil, $1)
        } describedBy: {
            APIOperation(.access, "listPeopleOfHub", "List the people of the hub")
                .parameters(.pageSize, .pageToken)
                .answers("A page of people.", .personPage)
        }
        routes.onHub(.put, at: "\(ofHub)/{person}", for: .administrator) {
            try await grant($0, nil, $1)
        } describedBy: {
            APIOperation(.access, "grantRoleOfHub", "Give a person a role of the hub")
                .takes(.grantInput)
                .answers("The person.", .person)
        }
        routes.onHub(.delete, at: "\(ofHub)/{person}", for: .administrator) {
            try await remove($0, nil, $1)
        } describedBy: {
            APIOperation(.access, "removeRoleOfHub", "Remove a role of the hub")
                .answers("The role is removed.", .empty)
        }
        routes.onHub(.post, at: "\(ofHub)/{person}:createSignInLink", for: .administrator) {
            try await link($0, nil, $1)
        } describedBy: {
            APIOperation(.access, "createSignInLinkOfHub", "Create a link that signs a person of the hub in")
                .answers("The link.", .signInLink)
        }
        routes.otherwise(below: ofHub) { _ in throw HubError.entityNotFound }
    }

    private func list(_ request: APIRequest, _ project: Project?, _ identity: Identity) async throws -> Response {
        let limit = try request.pageSize
        let after = try request.pageToken
        let found = try await hub.people(in: project, after: after, limit: limit + 1, by: identity)
        let page = ListPage(found, limit: limit) { $0.address }
        return try .json(
            PersonPage(people: page.elements.map { PersonResource($0, in: project?.id) }, nextPageToken: page.nextToken)
        )
    }

    private func grant(_ request: APIRequest, _ project: Project?, _ identity: Identity) async throws -> Response {
        let input = try await request.json(GrantInput.self)
        let person = try await hub.grant(
            try Role.required(input.role),
            to: request["person"],
            displayName: input.displayName,
            in: project,
            by: identity
        )
        return try .json(PersonResource(person, in: project?.id))
    }

    private func remove(_ request: APIRequest, _ project: Project?, _ identity: Identity) async throws -> Response {
        try await hub.removeGrant(of: request["person"], in: project, by: identity)
        return try .json(EmptyObject())
    }

    private func link(_ request: APIRequest, _ project: Project?, _ identity: Identity) async throws -> Response {
        let path = try await hub.makeSignInLink(for: request["person"], in: project, by: identity)
        return try .json(SignInLinkResource(path: path))
    }
}

extension PersonResource {
    /// A person with the roles in a project, or with all roles if the project is nil.
    fileprivate init(_ person: Person, in project: String?) {
        self.init(
            address: person.address,
            roles: person.grants.filter { project == nil || $0.project == project }.map {
                Grant(
                    project: $0.project,
                    role: $0.role.rawValue,
                    displayName: $0.displayName,
                    createTime: "\($0.createTime)",
                    expireTime: $0.bound.expiry.map { "\($0)" }
                )
            }
        )
    }
}

extension Role {
    /// The role with a name.
    ///
    /// - Throws: `.invalidArgument` with the known names.
    static func required(_ name: String) throws(HubError) -> Role {
        guard let role = Role(name: name) else {
            throw HubError(
                .invalidArgument,
                "\"\(name.prefix(40))\" is not a role; use \(allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        return role
    }
}
