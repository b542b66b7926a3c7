import ArgumentParser
import CommandLineSupport
import Foundation

/// The option `--yes`, and the question that a command asks without it.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask.")
    var yes = false

    /// Asks on the terminal, and ends the command unless the user agrees.
    ///
    /// - Parameter question: The question, such as `Delete plants?`.
    /// - Throws: ``CommandError`` if standard input is not a terminal; `ExitCode` if the user does not agree.
    func require(_ question: String) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandError(
                "Nothing was deleted: the command asks first, but its standard input is not a terminal; add --yes."
            )
        }
        StandardError.write("\(question) [y/N] ")
        let answer = (readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased()
        guard ["y", "yes"].contains(answer) else {
            StandardError.report("Nothing was deleted.")
            throw ExitStatus.incomplete.code
        }
    }

    static let exitCodes = ExitStatus.help(incomplete: "you did not agree")
}
