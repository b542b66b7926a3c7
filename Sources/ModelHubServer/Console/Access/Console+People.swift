import Foundation
import Hummingbird

/// The page with the people of the project, and with the administrators of the hub.
extension Console {
    func addPeople(to routes: inout RouteTable) {
        let people = "console/people"
        page(at: people, for: .owner, in: &routes, use: peoplePage)
        form(at: people, for: .owner, in: &routes, use: grant)
        form(at: "\(people)/administrators", for: .administrator, in: &routes, use: grantAdministration)
        page(at: "\(people)/{person}/remove", for: .owner, in: &routes) { try await removalPage($0, $0.caller.project) }
        form(at: "\(people)/{person}/remove", for: .owner, in: &routes) { try await remove($0, $0.caller.project) }
        form(at: "\(people)/{person}/link", for: .owner, in: &routes, use: signInLink)
        let administrator = "\(people)/administrators/{person}/remove"
        page(at: administrator, for: .administrator, in: &routes) { try await removalPage($0, nil) }
        form(at: administrator, for: .administrator, in: &routes) { try await remove($0, nil) }
    }

    private struct PeoplePage: Sendable {
        struct Row: Sendable {
            var address: String
            var name: String
            var role: String
            var end: ConsoleTime?
            var isSelf: Bool
            var path: String
            var roles: [RoleChoice]
        }

        var rows: [Row]
        var next: String?
        var roles: [RoleChoice]
        var administrators: [Row]
        var end: ConsoleTime?
    }

    private static let peopleOfPage = 100

    @Sendable
    private func peoplePage(_ visit: ConsoleVisit) async throws -> Response {
        let (project, identity) = (visit.caller.project, visit.identity)
        let after = String((visit.request.query["after"] ?? "").prefix(120))
        let found = try await hub.people(in: project, after: after, limit: Self.peopleOfPage + 1, by: identity)
        let page = ListPage(found, limit: Self.peopleOfPage) { $0.address }
        func row(_ person: Person, _ grant: Person.Grant, at path: String) -> PeoplePage.Row {
            .init(
                address: person.address,
                name: grant.displayName,
                role: grant.role.rawValue,
                end: grant.bound.expiry.map { ConsoleTime($0) },
                isSelf: person.address == identity.person,
                path: "\(path)/\(Self.encoded(person.address))",
                roles: RoleChoice.all(upTo: visit.caller.role, chosen: grant.role)
            )
        }
        var administrators: [PeoplePage.Row] = []
        if identity.isAdministrator {
            administrators = try await hub.administrators(by: identity).compactMap { person in
                person.grant(in: nil).map { row(person, $0, at: "/console/people/administrators") }
            }
        }
        let rows = page.elements.compactMap { person in
            person.grant(in: project.id).map { row(person, $0, at: "/console/people") }
        }
        let end = ((try? identity.bound(ofRole: .owner, in: project.id)) ?? identity.bound).expiry
        return .page(
            "people",
            ConsoleChrome(title: "People", visit: visit),
            PeoplePage(
                rows: rows,
                next: page.nextToken.map { "/console/people?after=\(Self.encoded($0))" },
                roles: RoleChoice.all(upTo: visit.caller.role, chosen: .viewer),
                administrators: administrators,
                end: end.map { ConsoleTime($0) }
            )
        )
    }

    @Sendable
    private func grant(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let role = try Role.required(form["role"])
        let person = try await hub.grant(
            role,
            to: form["address"],
            displayName: form["name"].isEmpty ? nil : form["name"],
            in: visit.caller.project,
            by: visit.identity
        )
        let text = "\(person.address) has the role \(role.rawValue) in \(visit.caller.project.id)."
        guard form["link"] == "yes" else { return try await change(visit, thenTo: "/console/people") { text } }
        return try await signInLink(visit, for: person.address, after: text)
    }

    @Sendable
    private func grantAdministration(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        return try await change(visit, thenTo: "/console/people") {
            let person = try await hub.grant(
                .administrator,
                to: form["address"],
                displayName: form["name"].isEmpty ? nil : form["name"],
                in: nil,
                by: visit.identity
            )
            return "\(person.address) is an administrator of the hub."
        }
    }

    @Sendable
    private func removalPage(_ visit: ConsoleVisit, _ project: Project?) async throws -> Response {
        let address = visit.request["person"]
        return .confirmation(
            ConsoleChrome(title: "Remove \(address)", visit: visit, section: "people"),
            .init(
                title: "Remove \(address)?",
                text:
                    "\(address) loses the role in \(project?.id ?? "the whole hub") at once. A person without any role is removed, with the "
                    + "person’s tokens and sessions. Keys of the project are kept.",
                action: "Remove \(address)",
                back: "/console/people",
                backTitle: "People",
                path: "/" + visit.request.path.map(Self.encoded).joined(separator: "/")
            )
        )
    }

    @Sendable
    private func remove(_ visit: ConsoleVisit, _ project: Project?) async throws -> Response {
        _ = try await ConsoleForm(visit)
        let address = visit.request["person"]
        return try await change(visit, thenTo: "/console/people") {
            try await hub.removeGrant(of: address, in: project, by: visit.identity)
            return "\(address) no longer has a role in \(project?.id ?? "the whole hub")."
        }
    }

    /// Shows a sign-in link once. The link is in no other response.
    @Sendable
    private func signInLink(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await signInLink(visit, for: visit.request["person"])
    }

    /// - Parameter change: The change that was made to the person before.
    private func signInLink(_ visit: ConsoleVisit, for address: String, after change: String? = nil) async throws
        -> Response
    {
        let path = try await hub.makeSignInLink(for: address, in: visit.caller.project, by: visit.identity)
        return .secret(
            ConsoleChrome(title: "Sign-in link", visit: visit, section: "people"),
            .init(
                title: "A sign-in link for \(address)",
                text: (change.map { "\($0) " } ?? "")
                    + "The link works once, within ten minutes. Send it to this person only: it signs in with the person’s rights. "
                    + "The hub does not show it again.",
                secret: visit.request.base + path,
                isLong: false,
                back: "/console/people",
                backTitle: "People"
            )
        )
    }
}

/// A role in a menu.
struct RoleChoice: Sendable {
    var value: String
    var title: String
    var isChosen: Bool

    /// The roles in a project up to a role.
    static func all(upTo highest: Role, chosen: Role) -> [RoleChoice] {
        Role.ofProjects.filter { $0 <= highest }.map {
            RoleChoice(value: $0.rawValue, title: $0.rawValue.capitalized, isChosen: $0 == chosen)
        }
    }
}

extension Hub {
    /// The administrators of the hub, by address.
    ///
    /// - Throws: `.permissionDenied` unless the caller is an administrator.
    func administrators(by identity: Identity) async throws -> [Person] {
        try identity.require(.administrator)
        return try await records.administrators(at: now())
    }
}
