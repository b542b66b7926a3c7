import ArgumentParser
import Foundation

/// The long options of a command, from the declarations that the parser reads.
struct OptionNames: Sendable {
    /// The names of all options, without dashes.
    let all: Set<String>
    /// The names of those without values.
    let flags: Set<String>

    /// The part of the parser's description of a command that matters here.
    private struct Description: Decodable {
        struct Command: Decodable { let arguments: [Argument]? }
        struct Argument: Decodable {
            let kind: String
            let names: [Name]?
        }
        struct Name: Decodable {
            let kind: String
            let name: String
        }
        let command: Command
    }

    /// Reads the declarations of a command, or of a group of its options.
    init(_ command: any ParsableArguments.Type) {
        let text = command._dumpHelp()
        let arguments = (try? JSONDecoder().decode(Description.self, from: Data(text.utf8)))?.command.arguments ?? []
        func names(_ arguments: [Description.Argument]) -> Set<String> {
            Set(arguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name))
        }
        all = names(arguments)
        flags = names(arguments.filter { $0.kind == "flag" })
    }
}
