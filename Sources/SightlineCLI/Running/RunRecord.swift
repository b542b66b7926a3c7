import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline

/// The run that wrote a file of results: its command, its models, and the options that change its answers.
///
/// The record is a hidden file beside the results, `.results.jsonl.run` for `results.jsonl`, because neither lines of JSON nor
/// rows of CSV have a place for it that every reader skips. So a run that continues in the file cannot silently mix two runs. A file
/// without a record is accepted.
struct RunRecord: Codable, Sendable {
    /// The name of the command, such as `detect`.
    private let command: String
    /// The name of the model's file.
    private let model: String
    /// The SHA-256 of the models and of their labels.
    private let modelHash: String
    /// The values of the options, by their names.
    private let options: [String: String]

    /// Options that change no answer, or that the hash covers.
    private static let neutral: Set = [
        "--inputs", "--reads-paths-from-standard-input", "--stdin-format", "--resume", "--keep-going", "--output",
        "--format", "--no-times", "--threads", "--workers", "--model", "--classifier", "--labels", "--max-pixels",
        "--max-bytes", "--hub",
    ]

    /// - Parameters:
    ///   - command: the parsed command.
    ///   - models: the models that answer.
    ///   - names: the names that answers can have.
    init(of command: some ParsableCommand, models: [ModelSummary], names: [String]) {
        self.command = type(of: command).configuration.commandName ?? ""
        model = models.first?.name ?? ""
        var hash = SHA256()
        for model in models { model.data.withUnsafeBytes { hash.update($0) } }
        Data(names.joined(separator: "\n").utf8).withUnsafeBytes { hash.update($0) }
        modelHash = hash.hexadecimalDigest
        options = Self.options(of: command).filter { !Self.neutral.contains($0.key) }
    }

    /// The file of the record that belongs to a file of results.
    private static func place(of results: String) -> URL {
        let file = URL(filePath: results)
        return file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).run")
    }

    /// Refuses to continue in a file that another run wrote.
    ///
    /// - Throws: `InputError` with the difference.
    func check(_ results: String) throws(InputError) {
        guard let size = DurableFile.size(URL(filePath: results)), size > 0,
            let data = try? Data(contentsOf: Self.place(of: results)),
            let earlier = try? JSONDecoder().decode(RunRecord.self, from: data)
        else { return }
        let advice = "name another file, or leave out --resume to start this one over."
        if earlier.command != command {
            throw InputError(reason: "\(results) has results of `sightline \(earlier.command)`; \(advice)")
        }
        if earlier.modelHash != modelHash {
            let difference =
                earlier.model == model
                ? "another model of the name \(model), or of other labels"
                : "the model \(earlier.model), and this run uses \(model)"
            throw InputError(reason: "\(results) has results of \(difference); \(advice)")
        }
        let changed = Set(options.keys).union(earlier.options.keys).filter { options[$0] != earlier.options[$0] }
            .sorted()
        if !changed.isEmpty {
            throw InputError(
                reason: """
                    \(results) was written with other values of \(changed.joined(separator: " and ")); give the same values, \(advice)
                    """
            )
        }
    }

    /// Writes the record beside a file of results. A folder that refuses it does not stop the run.
    func write(beside results: String) {
        // A pipe or device has no place beside it.
        guard DurableFile.size(URL(filePath: results)) != nil else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return }
        try? DurableFile.write(data + Data("\n".utf8), to: Self.place(of: results))
    }

    /// The values of a command's options, also of those in groups.
    private static func options(of arguments: some ParsableArguments) -> [String: String] {
        var options: [String: String] = [:]
        for child in Mirror(reflecting: arguments).children {
            if let group = child.value as? any OptionGroupValue {
                options.merge(self.options(of: group.arguments)) { first, _ in first }
            } else if let value = child.value as? any OptionValue, let label = child.label {
                options[name(ofProperty: label)] = value.text
            }
        }
        return options
    }

    /// The name of the option of a wrapped property: `--max-labels` for `_maxLabels`.
    private static func name(ofProperty label: String) -> String {
        label.drop { $0 == "_" }.reduce(into: "--") { name, character in
            name += character.isUppercase ? "-" + character.lowercased() : String(character)
        }
    }
}

/// A value of the command line, whatever its type.
private protocol OptionValue {
    var text: String { get }
}

extension Option: OptionValue {
    fileprivate var text: String { String(describing: wrappedValue) }
}

extension Flag: OptionValue {
    fileprivate var text: String { String(describing: wrappedValue) }
}

/// A group of options.
private protocol OptionGroupValue {
    var arguments: any ParsableArguments { get }
}

extension OptionGroup: OptionGroupValue {
    fileprivate var arguments: any ParsableArguments { wrappedValue }
}
