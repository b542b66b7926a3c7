import Foundation
import HTTPServing

/// The sign-in of people to the console with accounts of an OpenID Connect provider (OpenID Connect Core 1.0).
package struct OpenIDSettings: Sendable {
    /// A role that the operator gives to a group of the provider.
    package struct GroupRole: Sendable, Hashable {
        /// The group's name as the provider writes it.
        package var group: String
        /// The rights of its members.
        package var role: Role
        /// The id of the only project in which they have them; nil for the whole hub.
        package var project: String?

        /// Creates a role of a group.
        package init(group: String, role: Role, project: String? = nil) {
            self.group = group
            self.role = role
            self.project = project
        }

        /// Reads `GROUP=ROLE` or `GROUP=ROLE@PROJECT`; nil for anything else. A group's name may contain `=`.
        package init?(_ text: String) {
            guard let equals = text.lastIndex(of: "="), equals > text.startIndex else { return nil }
            let parts = text[text.index(after: equals)...].split(
                separator: "@",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard let name = parts.first, let role = Role(rawValue: String(name)) else { return nil }
            let project = parts.count == 2 ? String(parts[1]) : nil
            guard project?.isEmpty != true, project == nil || Role.ofProjects.contains(role) else { return nil }
            self.init(group: String(text[..<equals]), role: role, project: project)
        }
    }

    /// The provider's address, exactly as its tokens name it.
    package var issuer: String
    /// The hub's name at the provider.
    package var clientID: String
    /// The hub's secret at the provider; nil for a public client, which PKCE alone protects.
    package var clientSecret: Secret?
    /// The address to which the provider sends browsers back.
    package var redirectAddress: String
    /// The claim of the ID token that names the groups of a person.
    package var groupsClaim: String
    /// The scopes that the hub asks for.
    package var scopes: String
    /// The roles of groups. Every other group gives nothing.
    package var roles: [GroupRole]

    /// The shortest time between two readings of the provider's keys, since anyone can write an unknown key's id into a token.
    package var shortestInterval = Duration.seconds(10)

    /// The path of ``redirectAddress`` below the hub's address.
    static let answerPath = "console/sign-in/provider/answer"

    /// Creates settings.
    ///
    /// - Parameter hub: The address that browsers use for the hub, without a slash at its end.
    /// - Throws: `.invalidArgument` unless the issuer has an https address, or one of this machine.
    package init(
        issuer: String,
        clientID: String,
        clientSecret: Secret?,
        hub: String,
        groupsClaim: String = "groups",
        scopes: String = "openid profile email",
        roles: [GroupRole]
    ) throws(HubError) {
        guard Self.isSafe(issuer, besideLoopback: true), URLComponents(string: issuer)?.query == nil else {
            throw HubError(
                .invalidArgument,
                "The issuer \"\(issuer.prefix(200))\" is not an https address without a query; give the address that the provider's "
                    + "discovery document states as \"issuer\"."
            )
        }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        redirectAddress = "\(hub)/\(Self.answerPath)"
        self.groupsClaim = groupsClaim
        self.scopes = scopes
        self.roles = roles
    }

    /// Whether the hub may send secrets to an address that the provider states: over https, or, if the issuer itself is on this machine
    /// without https, on this machine.
    func allows(_ address: String) -> Bool {
        Self.isSafe(address, besideLoopback: issuer.lowercased().hasPrefix("http://"))
    }

    private static func isSafe(_ address: String, besideLoopback: Bool) -> Bool {
        guard address.utf8.count <= 2048, let parts = URLComponents(string: address), let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return false }
        switch parts.scheme?.lowercased() {
        case "https": return true
        case "http": return besideLoopback && ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host.lowercased())
        default: return false
        }
    }

    /// The groups that have a role, of all that a provider names.
    func known(_ groups: Set<String>) -> Set<String> { groups.intersection(roles.map(\.group)) }

    /// The roles of the members of groups; the highest counts where several apply.
    func grants(ofGroups groups: Set<String>) -> ProviderGrants {
        var grants = ProviderGrants()
        for entry in roles where groups.contains(entry.group) {
            if let project = entry.project {
                grants.projects[project] = max(grants.projects[project] ?? entry.role, entry.role)
            } else {
                grants.hub = max(grants.hub ?? entry.role, entry.role)
            }
        }
        return grants
    }
}

/// The roles that a person has by groups of the provider.
struct ProviderGrants: Sendable, Hashable {
    /// The role in all projects.
    var hub: Role?
    /// Roles in single projects, by their ids.
    var projects: [String: Role] = [:]

    /// Whether there is no role.
    var isEmpty: Bool { hub == nil && projects.isEmpty }
}
