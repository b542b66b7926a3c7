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
            the browser signs out or twelve hours have passed. `sightline hub person` gives other people links of their own.

            Examples:
              sightline hub console
              sightline hub console --data /var/lib/sightline-hub --address https://models.example.org
              xdg-open "$(sightline hub console)"

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: DataOption
    @Option(help: "The hub's address for your browser.")
    var address = "http://127.0.0.1:8080"
    @Option(help: "The project to show first, if the hub has several.")
    var project: String?

    func run() async throws {
        let link = try await reporting {
            let hub = try await location.openExistingHub()
            return try await hub.makeSignInLink(for: try await hub.chooseProject(project))
        }
        StandardOutput.writeLine((address.hasSuffix("/") ? String(address.dropLast()) : address) + link)
    }
}
