import ArgumentParser

/// The words that the command was called with.
struct CommandLineArguments {
    /// The words, as ``FileName`` writes them.
    let words: [String]

    /// Options that may be given several times; of all others only one could count.
    private static let repeatable: Set = ["--allow", "--deny", "--line", "--zone"]

    /// The words of this process without its name.
    static var ofProcess: CommandLineArguments {
        let words = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
            CommandLine.unsafeArgv[index].map { FileName.text($0) }
        }
        return CommandLineArguments(words: words)
    }

    /// Refuses what the parser takes without a word: an option of which a second one would silently replace the first, and
    /// names that are not UTF-8 where only text can be used.
    ///
    /// - Parameter command: what was parsed.
    /// - Throws: `InputError`.
    func check(for command: any ParsableCommand) throws(InputError) {
        let pictures = Set((command as? any PictureCommand)?.pictures.inputs ?? [])
        for word in words where !FileName.isUTF8(word) && !pictures.contains(word) {
            throw InputError(
                reason: "\(FileName.printed(word)) is not UTF-8; only pictures may have such names, so rename the file."
            )
        }
        // What follows `hub` is another program's.
        guard !(command is HubCommand) else { return }
        var seen: Set<Substring> = []
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
            let name = word.prefix { $0 != "=" }
            guard seen.insert(name).inserted || Self.repeatable.contains(String(name)) else {
                throw InputError(reason: "\(name) is given twice, but only one can count; leave one out.")
            }
        }
    }
}

/// A command that looks at pictures.
protocol PictureCommand: ParsableCommand {
    var pictures: PictureArguments { get }
}
