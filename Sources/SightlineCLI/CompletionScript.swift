import ArgumentParser

/// The completions of `sightline` for a shell.
enum CompletionScript {
    /// Prints the script if the words ask for it.
    ///
    /// - Returns: whether they do.
    static func print(for words: [String]) -> Bool {
        guard words.count == 2, words[0] == "--generate-completion-script",
            let shell = CompletionShell(rawValue: words[1])
        else { return false }
        Swift.print(text(for: shell))
        return true
    }

    /// The parser's script, with files beside the names of models.
    ///
    /// The parser completes a value either with files or with words of the program. Outside of `sightline models` a model may be either.
    private static func text(for shell: CompletionShell) -> String {
        let script = SightlineCommand.completionScript(for: shell)
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).map { line in
            guard line.contains("---completion "), !line.contains("---completion models ") else { return line }
            switch shell {
            case .bash:
                // The function adds to the completions that are there already.
                return "\(line.replacing(#/ -W .*/#, with: " -f"))\n\(line)"
            case .zsh:
                return line.replacing(#/}'$/#, with: "; _files}'")
            default:
                // Without f, fish offers files, too.
                return line.replacing(#/ -(r?)fka /#) { " -\($0.output.1)ka " }
            }
        }
        return lines.joined(separator: "\n")
    }
}
