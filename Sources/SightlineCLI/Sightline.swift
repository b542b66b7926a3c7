import ArgumentParser

@main
struct SightlineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sightline")
}
