import ArgumentParser
internal import Sightline

/// A command with its subcommands, as words on a command line choose among them.
package struct CommandTree {
    private let root: any ParsableCommand.Type

    /// - Parameter root: the command of the whole program.
    package init(_ root: any ParsableCommand.Type) { self.root = root }

    /// The words with `help` in the first place if it follows a command that has subcommands: `models help install` means
    /// `help models install`.
    package func withHelpFirst(_ words: [String]) -> [String] {
        let (path, command) = chosen(by: words)
        guard words.count > path.count, words[path.count] == "help", !command.configuration.subcommands.isEmpty else {
            return words
        }
        let asked = path + words.dropFirst(path.count + 1)
        // Help for an unknown command is an error, and not help for all of them.
        return sentenceOnUnknownCommand(in: asked) == nil ? ["help"] + asked : asked
    }

    /// A sentence about the first word that should name a subcommand and does not; nil if there is no such word.
    func sentenceOnUnknownCommand(in words: [String]) -> String? {
        let words = words.first == "help" ? Array(words.dropFirst()) : words
        let (path, command) = chosen(by: words)
        let names = command.configuration.subcommands.map(Self.name)
        guard !names.isEmpty, words.count > path.count, !words[path.count].hasPrefix("-") else { return nil }
        if let other = Self.otherCommands[words[path.count]], names.contains(other.needed) {
            return "There is no command '\(words[path.count])'. \(other.advice)"
        }
        if words[path.count].contains(/[.\/]/), names.contains("detect") {
            return
                "There is no command '\(words[path.count])'. To find objects in a file, write 'detect' before its name."
        }
        let near = Suggestion.nearest(to: words[path.count], among: names)
        let advice = near.isEmpty ? "" : " Did you mean '\(near.joined(separator: "' or '"))'?"
        return "There is no command '\(words[path.count])'.\(advice)"
    }

    /// Options of other programs, and the equivalent option here.
    private static let otherNames = [
        "conf": "threshold", "confidence": "threshold", "score": "threshold", "weights": "model", "classes": "allow",
        "class": "allow", "save": "annotate", "save-txt": "format", "save-crop": "crop", "stride": "every",
        "nms": "iou-threshold", "show": "preview", "out": "output", "t": "threshold", "min-confidence": "threshold",
        "min-score": "threshold", "conf-thres": "threshold", "iou-thres": "iou-threshold", "topk": "max-labels",
        "top-k": "max-labels", "max-det": "max-objects", "vid-stride": "every", "batch": "workers",
    ]

    /// Options of other programs without an equivalent here, each with a sentence, and the option that a command needs for it.
    private static let otherOptions: [String: (advice: String, needed: String)] = [
        "json": ("Write --format json.", "format"),
        "csv": ("Write --format csv.", "format"),
        "imgsz": (Self.sizeAdvice, "slice"),
        "img-size": (Self.sizeAdvice, "slice"),
        "img": (Self.sizeAdvice, "slice"),
        "device": ("Models run on the processor; --threads chooses the number of its cores.", "threads"),
        "source": ("The input needs no option: write its name alone.", "model"),
        "input": ("The input needs no option: write its name alone.", "model"),
        "recursive": ("A folder is searched with all folders in it.", "stdin"),
        "r": ("A folder is searched with all folders in it.", "stdin"),
    ]
    private static let sizeAdvice =
        "The model's file has the size of its input; --slice 640 searches large pictures in parts."

    /// Commands of other programs, each with a sentence, and the command here that it names.
    private static let otherCommands: [String: (advice: String, needed: String)] = [
        "classify": ("Did you mean 'label'?", "label"),
        "predict": ("Did you mean 'detect' or 'label'?", "detect"),
        "segment": ("Models here find boxes: did you mean 'detect'?", "detect"),
        "val": ("Did you mean 'evaluate'?", "evaluate"),
        "validate": ("Did you mean 'evaluate'?", "evaluate"),
        "train": ("Models are trained by `sightline train`.", "evaluate"),
        "list": ("Did you mean 'models list'?", "models"),
        "install": ("Did you mean 'models install'?", "models"),
        "version": ("Did you mean '--version'?", "models"),
    ]

    /// A sentence about an option that the command does not have; nil if it has all.
    ///
    /// The parser checks an option's value as an argument first, so its message may be about another mistake. Its own suggestion may be far
    /// from the word.
    ///
    /// - Parameter message: The parser's message.
    func sentenceOnUnknownOption(_ message: String, in words: [String]) -> String? {
        let command = chosen(by: words).command
        let names = Self.longOptions(of: command)
        let named = try? /Unknown option '(-+([^'=]*))[^']*'.*/.dotMatchesNewlines().wholeMatch(in: message)
        guard let unknown = named.map({ String($0.1) }) ?? Self.longOption(in: words, besides: names) else {
            return nil
        }
        guard command.configuration.subcommands.isEmpty else {
            return "Name a command before '\(unknown)', because only commands have this option."
        }
        let name = String(unknown.drop { $0 == "-" })
        if let other = Self.otherOptions[name], names.contains(other.needed) {
            return "Unknown option '\(unknown)'. \(other.advice)"
        }
        let same = Self.otherNames[name].flatMap { names.contains($0) ? [$0] : nil }
        let near = same ?? (name.count > 1 ? Suggestion.nearest(to: name, among: names) : [])
        let advice = near.isEmpty ? "" : " Did you mean '--\(near.joined(separator: "' or '--"))'?"
        return "Unknown option '\(unknown)'.\(advice)"
    }

    /// The long options of a command. Its examples may have those of other commands and programs.
    private static func longOptions(of command: any ParsableCommand.Type) -> [String] {
        let lines = command.helpMessage(includeHidden: true).matches(of: /(?m)^ {2}(?:-[A-Za-z], )?(--[^ ]+)/)
        return Set(lines.flatMap { $0.1.split(separator: "/") }.map { String($0.dropFirst(2)) }).sorted()
    }

    /// The first word that looks like a long option but is not one.
    private static func longOption(in words: [String], besides names: [String]) -> String? {
        words.prefix { $0 != "--" }.lazy.compactMap { try? /(--([a-z][a-z-]*))(?:=.*)?/.wholeMatch(in: $0) }
            .first { !names.contains(String($0.2)) }.map { String($0.1) }
    }

    /// The command line that shows the help of the command that the words choose.
    func helpCommand(for words: [String]) -> String {
        ([Self.name(root)] + chosen(by: words).path + ["--help"]).joined(separator: " ")
    }

    /// The names of the subcommands that the first words choose, and the last of these commands.
    private func chosen(by words: [String]) -> (path: [String], command: any ParsableCommand.Type) {
        var (path, command) = ([String](), root)
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { Self.name($0) == word }) else { break }
            path.append(word)
            command = next
        }
        return (path, command)
    }

    /// The command's name: that of its configuration, otherwise the name that the parser makes of the type's.
    private static func name(_ command: any ParsableCommand.Type) -> String { command._commandName }
}

extension ParsableCommand {
    /// Ends the process with an error of this command line. A wrong command line is reported in one sentence, as all other errors are;
    /// help, versions and exit codes are those of the parser.
    ///
    /// - Parameter words: the words of the command line, without the program.
    package static func end(with error: any Error, of words: [String]) -> Never {
        guard exitCode(for: error).rawValue == ExitStatus.usage.rawValue else { exit(withError: error) }
        let tree = CommandTree(self)
        var reason =
            tree.sentenceOnUnknownCommand(in: words) ?? tree.sentenceOnUnknownOption(message(for: error), in: words)
            ?? message(for: error)
        // A list of values is part of the sentence.
        reason = reason.replacing(":\n  - ", with: ": ").replacing("\n  - ", with: ", ")
        // An exit code without a message follows a sentence that is printed already.
        guard !reason.isEmpty else { exit(withError: error) }
        if reason.last?.isPunctuation == false || reason.hasSuffix("'") { reason += "." }
        StandardError.report("\(reason) See `\(tree.helpCommand(for: words))`.")
        Termination.end(with: .usage)
    }
}
