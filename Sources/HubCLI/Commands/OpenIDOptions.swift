import ArgumentParser
import Foundation
import HTTPServing
import ModelHubServer

/// The sign-in of people to the console with accounts of an OpenID Connect provider.
struct OpenIDOptions: ParsableArguments {
    @Option(
        name: .customLong("oidc-issuer"),
        help: "The address of the OpenID Connect provider whose accounts sign in to the console."
    )
    var issuer: String?
    @Option(name: .customLong("oidc-client-id"), help: "The hub's client id at the provider.")
    var clientID: String?
    @Option(
        name: .customLong("oidc-client-secret-file"),
        help: "A file with the hub's client secret; without it, the hub is a public client.",
        completion: .file()
    )
    var clientSecretFile: String?
    @Option(name: .customLong("oidc-groups-claim"), help: "The claim of the ID token with the groups of a person.")
    var groupsClaim = "groups"
    @Option(name: .customLong("oidc-scopes"), help: "The scopes to ask the provider for, with openid.")
    var scopes = "openid profile email"
    @Option(
        name: .customLong("oidc-role"),
        help: ArgumentHelp(
            "The role of a group: GROUP=ROLE in the whole hub, GROUP=ROLE@PROJECT in one project. Repeat it for more groups.",
            valueName: "group=role"
        )
    )
    var roles: [String] = []

    func validate() throws {
        guard issuer != nil else {
            guard clientID == nil, clientSecretFile == nil, roles.isEmpty else {
                throw ValidationError("The options --oidc-… need --oidc-issuer.")
            }
            return
        }
        guard clientID?.isEmpty == false, !roles.isEmpty else {
            throw ValidationError("--oidc-issuer needs --oidc-client-id, and at least one --oidc-role.")
        }
        guard scopes.split(separator: " ").contains("openid") else {
            throw ValidationError("--oidc-scopes contains openid.")
        }
        for text in roles where OpenIDSettings.GroupRole(text) == nil {
            let names = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "--oidc-role \"\(text)\" is not GROUP=ROLE or GROUP=ROLE@PROJECT; roles are \(names), and administrator only of the whole hub."
            )
        }
    }

    /// The settings; nil without a provider.
    func settings(publicAddress: String?) throws -> OpenIDSettings? {
        guard let issuer, let clientID else { return nil }
        guard let publicAddress else {
            throw HubError(
                .invalidArgument,
                "The provider sends browsers back to one exact address; pass the hub's address as --public-address."
            )
        }
        return try OpenIDSettings(
            issuer: issuer,
            clientID: clientID,
            clientSecret: try clientSecretFile.map { Secret(try Self.secret(inFile: $0)) },
            hub: publicAddress.hasSuffix("/") ? String(publicAddress.dropLast()) : publicAddress,
            groupsClaim: groupsClaim,
            scopes: scopes,
            roles: roles.compactMap { OpenIDSettings.GroupRole($0) }
        )
    }

    private static func secret(inFile path: String) throws -> String {
        let text = try? String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty else {
            throw HubError(
                .invalidArgument,
                "The file \(path) cannot be read or is empty; write the client secret of the provider into it."
            )
        }
        return text
    }
}
