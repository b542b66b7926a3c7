import ArgumentParser
import Testing

@testable import HubCLI

struct CommandNameTests {
    /// Without a name, ArgumentParser derives one by reflection, which looks through all conformances of the program, for each
    /// command and at each start.
    @Test func eachCommandNamesItself() {
        func unnamed(_ command: any ParsableCommand.Type) -> [String] {
            (command.configuration.commandName == nil ? ["\(command)"] : [])
                + command.configuration.subcommands.flatMap(unnamed)
        }
        #expect(unnamed(HubCommand.self) == [])
    }
}
