import Foundation
import Hummingbird

/// The pages with the keys and tokens of the project, and with the tokens of the signed-in person.
extension Console {
    func addKeys(to routes: inout RouteTable) {
        let ofProject: KeyOwner = { .project($0.caller.project.id) }
        addKeys(at: "console/keys", title: "Keys and tokens", for: .owner, of: ofProject, to: &routes)
        addKeys(at: "console/tokens", title: "Your tokens", for: .viewer, of: Self.person, to: &routes)
    }

    private typealias KeyOwner = @Sendable (ConsoleVisit) throws(HubError) -> Credential.Owner

    @Sendable
    private static func person(of visit: ConsoleVisit) throws(HubError) -> Credential.Owner {
        guard let person = visit.identity.person else { throw HubError.noPersonCalls }
        return .person(person)
    }

    private static var person: KeyOwner { { (visit) throws(HubError) in try person(of: visit) } }

    private func addKeys(
        at path: String,
        title: String,
        for role: Role,
        of owner: @escaping KeyOwner,
        to routes: inout RouteTable
    ) {
        let place = "/\(path)"
        page(at: path, for: role, in: &routes) { try await keyPage($0, title, place, try owner($0)) }
        form(at: path, for: role, in: &routes) { try await createKey($0, title, place, try owner($0)) }
        page(at: "\(path)/{key}/revoke", for: role, in: &routes) {
            try await revocationPage($0, title, place, try owner($0))
        }
        form(at: "\(path)/{key}/revoke", for: role, in: &routes) {
            try await revokeKey($0, place, try owner($0))
        }
    }

    private struct KeyPage: Sendable {
        struct Row: Sendable {
            var name: String
            var kind: String
            var role: String
            var id: String
            /// The public part of a signing key; nil for others.
            var publicKey: String?
            var created: ConsoleTime
            var used: String
            var end: String
            var state: String
            var stateKind: String
            var isActive: Bool
            var path: String
        }

        struct Choice: Sendable {
            var value: String
            var title: String
            var isChosen: Bool
        }

        var title: String
        var path: String
        var isOfPerson: Bool
        var rows: [Row]
        var kinds: [Choice]
        var roles: [RoleChoice]
        var lifetimes: [Choice]
        var limit: ConsoleTime?
    }

    private static let kindTitles: [Credential.Kind: String] = [
        .apiKey: "API key", .token: "Token", .serviceAccount: "Key file", .signing: "Signing key",
    ]

    private func keyPage(
        _ visit: ConsoleVisit,
        _ title: String,
        _ path: String,
        _ owner: Credential.Owner
    ) async throws -> Response {
        let identity = visit.identity
        let time = hub.now()
        let keys = try await hub.credentials(of: owner, by: identity)
        let rows = keys.reversed().map { key -> KeyPage.Row in
            let isActive = key.isValid(at: time)
            return .init(
                name: key.name,
                kind: Self.kindTitles[key.kind] ?? key.kind.rawValue,
                role: key.role.rawValue,
                id: String(key.id.prefix(12)),
                publicKey: key.kind == .signing ? key.publicKey : nil,
                created: ConsoleTime(key.createTime),
                used: key.useTime.map { ConsoleText.time($0) } ?? "never",
                end: key.expiry.map { ConsoleText.time($0) } ?? "never",
                state: key.revokeTime != nil ? "Revoked" : isActive ? "Valid" : "Expired",
                stateKind: isActive ? "good" : "neutral",
                isActive: isActive,
                path: "\(path)/\(key.id)/revoke"
            )
        }
        let isOfPerson = if case .person = owner { true } else { false }
        var end = identity.bound.expiry
        if case .project(let project) = owner, let bound = try? identity.bound(ofRole: .owner, in: project) {
            end = bound.expiry
        }
        return .page(
            "keys",
            ConsoleChrome(title: title, visit: visit),
            KeyPage(
                title: title,
                path: path,
                isOfPerson: isOfPerson,
                rows: rows,
                kinds: [Credential.Kind.apiKey, .token, .serviceAccount, .signing].map {
                    .init(value: $0.rawValue, title: Self.kindTitles[$0] ?? "", isChosen: $0 == .apiKey)
                },
                roles: RoleChoice.all(upTo: visit.caller.role, chosen: isOfPerson ? .viewer : .publisher),
                lifetimes: [
                    ("", "Usual"), ("1", "1 day"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year"),
                    ("0", "No end"),
                ]
                .map { .init(value: $0, title: $1, isChosen: $0.isEmpty) },
                limit: end.map { ConsoleTime($0) }
            )
        )
    }

    private func createKey(
        _ visit: ConsoleVisit,
        _ title: String,
        _ path: String,
        _ owner: Credential.Owner
    ) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let isOfPerson = if case .person = owner { true } else { false }
        let kindName = isOfPerson ? Credential.Kind.token.rawValue : form["kind"]
        guard let kind = Credential.Kind(rawValue: kindName) else { throw HubError.invalidArgument }
        var plan = CredentialPlan(kind, role: try Role.required(form["role"]), name: form["name"], owner: owner)
        if !form["days"].isEmpty {
            guard let days = Int64(form["days"]), (0...3650).contains(days) else { throw HubError.invalidArgument }
            plan.lifetime = .seconds(days * 24 * 3600)
        }
        // A person's token is for the shown project, unless the form asks for all projects.
        if isOfPerson, form["everywhere"] != "yes" { plan.project = visit.caller.project.id }
        if kind == .apiKey, !form["existing"].isEmpty { plan.existingKey = form["existing"] }
        plan.address = visit.request.base
        let issued = try await hub.createCredential(plan, by: visit.identity)
        guard let secret = issued.keyFile ?? issued.secret else {
            return try await change(visit, thenTo: path) {
                if kind == .signing {
                    return
                        "\(plan.name) signs the models of the project from now on. Give its public part to your apps, and keep a copy of "
                        + "signing/\(issued.credential.id).pem in the hub’s folder in a safe place: no backup contains it."
                }
                return "\(plan.name) was adopted: apps with this key can download models."
            }
        }
        let end = issued.credential.expiry.map { " It is valid until \(ConsoleText.time($0)) (UTC)." } ?? ""
        return .secret(
            ConsoleChrome(title: plan.name, visit: visit, section: path.split(separator: "/").last.map(String.init)),
            .init(
                title: "\(Self.kindTitles[kind] ?? "") \(plan.name)",
                text:
                    "Copy it now: the hub keeps only \(kind == .serviceAccount ? "its public key" : "its hash") and does not show it again.\(end)",
                secret: secret,
                isLong: issued.keyFile != nil,
                back: path,
                backTitle: title
            )
        )
    }

    private func revocationPage(
        _ visit: ConsoleVisit,
        _ title: String,
        _ path: String,
        _ owner: Credential.Owner
    ) async throws -> Response {
        let id = visit.request["key"]
        guard let key = try await hub.credentials(of: owner, by: visit.identity).first(where: { $0.id == id }) else {
            throw HubError(.notFound, "There is no such key; it may have been removed.")
        }
        return .confirmation(
            ConsoleChrome(
                title: "Revoke \(key.name)",
                visit: visit,
                section: path.split(separator: "/").last.map(String.init)
            ),
            .init(
                title: "Revoke \(key.name)?",
                text:
                    key.kind == .signing
                    ? "Its signatures are no longer served, and apps that trust only this key get no new models. The hub removes the private "
                        + "part if it keeps it. Apps trust the key until you take it out of their trusted keys. A revocation is permanent."
                    : "The \((Self.kindTitles[key.kind] ?? "").lowercased()) stops working at once, with everything that it created and its "
                        + "sessions. A revocation is permanent.",
                action: "Revoke \(key.name)",
                back: path,
                backTitle: title,
                path: "\(path)/\(key.id)/revoke"
            )
        )
    }

    private func revokeKey(_ visit: ConsoleVisit, _ path: String, _ owner: Credential.Owner) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: path) {
            let key = try await hub.revokeCredential(visit.request["key"], of: owner, by: visit.identity)
            return "\(key.name) was revoked."
        }
    }
}
