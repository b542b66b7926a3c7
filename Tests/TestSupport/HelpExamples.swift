import Foundation

/// The examples in the help of a program.
public enum HelpExamples {
    /// The indented lines of the discussions of all commands.
    public static func lines(of program: Program) async throws -> [String] {
        let dump = try await program.run(["--experimental-dump-help"]).output
        let tool = try JSONDecoder().decode(Tool.self, from: Data(dump.utf8))
        return lines(of: tool.command)
    }

    private static func lines(of command: Tool.Command) -> [String] {
        let own = (command.discussion ?? "").split(separator: "\n").map(String.init).filter { $0.hasPrefix("  ") }
        return own + (command.subcommands ?? []).flatMap { lines(of: $0) }
    }

    private struct Tool: Decodable {
        let command: Command

        struct Command: Decodable {
            let discussion: String?
            let subcommands: [Command]?
        }
    }
}
