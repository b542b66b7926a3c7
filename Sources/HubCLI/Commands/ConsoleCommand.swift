import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer

struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Print a link that signs you in to the console in a browser. It works once.",
        discussion: """
            The hub serves its console at /console. The link is valid for ten minutes and gives full access to the hub, until \
            the browser signs out or twelve hours have passed. `sightline hub person` gives other people their own links. The command \
            works on the hub's own machine.

            Examples:
              sightline hub console
              sightline hub console --data /var/lib/sightline-hub \\
                --address https://models.example.org
              xdg-open "$(sightline hub console)"

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var place: HubPlace
    @OptionGroup var link: SignInAddress

    func run() async throws {
        let path = try await reporting {
            if let address = place.address {
                throw CommandError(
                    "A link with full access can be made only on the hub's own machine; sign in at \(address)/console with a token, or use `sightline hub person link`."
                )
            }
            let hub = try await place.local.openExistingHub()
            return try await hub.makeSignInLink(for: try await hub.chooseProject(place.namedProject))
        }
        await link.printLink(path, to: place)
    }
}
