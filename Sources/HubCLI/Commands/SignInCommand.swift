import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHub
import ModelHubProtocol

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in to a hub on the network with your account.",
        discussion: """
            The command prints an address. Open it in a browser, on any machine, and allow the command. From then on, commands \
            with --hub act as you, until you sign out, the sign-in provider ends its session, two hours pass without a command, or \
            12 hours pass. The hub needs a sign-in provider (`sightline hub serve --oidc-issuer`). Scripts use tokens instead.

            Examples:
              sightline hub sign-in --hub https://models.example.org
              sightline hub list --hub https://models.example.org
              sightline hub sign-out --hub https://models.example.org

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var network: HubAddress

    func run() async throws {
        try await reporting {
            let address = try network.named()
            let signIn = DeviceSignIn(hub: address, trusting: network.trustedRoots)
            let begun = try await signIn.begin()
            StandardError.write(
                begun.completeAddress.map {
                    "Open \($0) in a browser, and check that it shows the code \(begun.userCode).\n"
                } ?? "Open \(begun.address) in a browser, and enter the code \(begun.userCode).\n"
            )
            let token = try await signIn.token(after: begun)
            try StoredSignIn(of: address).store(token)
            StandardOutput.writeLine("You are signed in to \(address).")
        }
    }
}

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign out of a hub on the network.",
        discussion: """
            Examples:
              sightline hub sign-out --hub https://models.example.org

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var network: HubAddress

    func run() async throws {
        try await reporting {
            let address = try network.named()
            let stored = StoredSignIn(of: address)
            guard let token = try stored.token() else {
                throw CommandError("You are not signed in to \(address).")
            }
            // The file is kept if the hub cannot be reached: the session is still valid there.
            try await DeviceSignIn(hub: address, trusting: network.trustedRoots).revoke(token)
            try stored.remove()
            StandardOutput.writeLine("You are signed out of \(address).")
        }
    }
}

extension HubAddress {
    /// The address of the hub.
    fileprivate func named() throws(CommandError) -> String {
        guard let address else { throw CommandError("Name the hub with --hub, or in SIGHTLINE_HUB.") }
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil,
            url.user() == nil
        else {
            throw CommandError(
                "\"\(AddressText.withoutPassword(address))\" is not the address of a hub; give an address such as https://models.example.org."
            )
        }
        return address
    }
}
