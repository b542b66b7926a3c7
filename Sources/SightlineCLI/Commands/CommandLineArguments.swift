import ArgumentParser
import CommandLineSupport

/// The words of the command line.
struct CommandLineArguments {
    /// The words, as ``FileName`` writes them.
    let words: [String]

    /// Options that may be repeated.
    private static let repeatable: Set = [
        "--allow", "--deny", "--line", "--zone", "--threshold", "--classification-threshold",
    ]
    /// The long names of short options.
    private static let longNames: [Substring: Substring] = ["-m": "--model", "-o": "--output"]

    /// The words of this process without its name.
    static var ofProcess: CommandLineArguments {
        let words = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
            CommandLine.unsafeArgv[index].map { FileName.text($0) }
        }
        return CommandLineArguments(words: words)
    }

    /// The words with `--blur faces` and `--blur=faces` as the flag that they stand for: the parser knows no options whose value may be
    /// missing.
    var withValuesOfFlags: [String] {
        var result: [String] = []
        for (index, word) in words.enumerated() {
            if result.contains("--") || words.first == "hub" || words.first == "serve" {
                return result + words[index...]
            }
            if word == "--blur=\(CatalogModel.faces)" {
                result.append(Self.blurFaces)
            } else if word == CatalogModel.faces, result.last == "--blur" {
                result[result.count - 1] = Self.blurFaces
            } else {
                result.append(word)
            }
        }
        return result
    }

    private static let blurFaces = "--blur-faces"

    /// Refuses command lines that the parser accepts silently: a repeated option, of which only the last would count, and names that
    /// are not UTF-8 in places that need text.
    ///
    /// - Parameter command: the parsed command.
    /// - Throws: `InputError`.
    func check(for command: any ParsableCommand) throws(InputError) {
        let pictures = Set((command as? any PictureCommand)?.pictures.inputs ?? [])
        for word in words where !FileName.isUTF8(word) && !pictures.contains(word) {
            throw InputError(
                reason: "\(FileName.printed(word)) is not UTF-8; only pictures may have such names, so rename the file."
            )
        }
        // The words after `hub` and `serve` belong to other programs.
        if command is HubCommand || command is ServeCommand { return }
        var seen: Set<Substring> = []
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") {
            let written = word.prefix { $0 != "=" }
            let name = Self.longNames[written] ?? written
            guard name.hasPrefix("--") else { continue }
            let isRepeatable = Self.repeatable.contains(String(name)) || command is CompareCommand && name == "--model"
            guard seen.insert(name).inserted || isRepeatable else {
                throw InputError(reason: "\(name) is given twice; leave one out.")
            }
        }
    }
}

/// A command with pictures as its input.
protocol PictureCommand: ParsableCommand {
    var pictures: PictureArguments { get }
}
