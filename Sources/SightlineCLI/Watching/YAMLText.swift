import Foundation
import Yams

/// YAML as people write it for `sightline watch`.
enum YAMLText {
    /// The reason why a text is not read.
    struct Failure: Error {
        /// The number of the line, from 1.
        let line: Int
        /// A sentence.
        let text: String
    }

    /// The value of a text; nil for an empty text.
    ///
    /// Aliases are refused, because a few of them can make a value larger than any memory. The parser does not show that a value came from an
    /// alias. So the text is read first with anchors of unpredictable names: each alias is then undefined.
    static func root(of yaml: String) throws(Failure) -> Node? {
        let mark = "&x" + String(UInt64.random(in: .min ... .max), radix: 16)
        let root = try composed(yaml.replacing("&", with: mark), of: yaml)
        return yaml.contains("&") ? try composed(yaml, of: yaml) : root
    }

    private static func composed(_ text: String, of yaml: String) throws(Failure) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch {
            throw failure(error as? YamlError, "\(error)", yaml)
        }
    }

    private static func failure(_ error: YamlError?, _ description: String, _ yaml: String) -> Failure {
        switch error {
        case .composer(_, "found undefined alias", let mark, _):
            return Failure(
                line: mark.line,
                text:
                    "Aliases of YAML (*name) are not read; write the value itself, or an entry under defaults for all cameras."
            )
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return Failure(line: mark.line, text: "This is not valid YAML: \(reason(problem, at: mark, in: yaml)).")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.map { "\($0)" }.sorted().joined(separator: ", ")
            return Failure(line: context.mark.line, text: "This is not valid YAML: the key \(keys) appears twice.")
        case .reader(let problem, _, _, _):
            return Failure(line: 1, text: "This is not valid YAML: \(problem).")
        default:
            return Failure(line: 1, text: "This is not valid YAML: \(description).")
        }
    }

    /// A reason with the next step, where the parser's words have none.
    private static func reason(_ problem: String, at mark: Mark, in yaml: String) -> String {
        let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let line = lines.dropFirst(mark.line - 1).first ?? ""
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return "the line begins with a tab, which cannot indent; use spaces"
        }
        switch problem {
        case _ where problem.hasPrefix("Maximum nesting level"):
            return "values lie within too many others; the entries of a camera need three levels"
        case "found character that cannot start any token":
            let character = line.dropFirst(mark.column - 1).first.map { $0 == "\t" ? "a tab" : "the character \($0)" }
            return "\(character ?? "this character") cannot begin a value; put the value in quotes"
        case "mapping values are not allowed in this context":
            return
                "a value contains a colon and a space, or the line before lacks its colon; put a value with a colon in quotes"
        case "could not find expected ':'":
            return "the line has neither the form `key: value` nor that of a list"
        default:
            return problem
        }
    }

    /// The truth value of a word, as in YAML 1.1, which many programs speak; nil for other words.
    static func boolean(_ word: String) -> Bool? {
        let lower = word.lowercased()
        guard [lower, lower.uppercased(), lower.prefix(1).uppercased() + lower.dropFirst()].contains(word) else {
            return nil
        }
        return ["true", "yes", "on"].contains(lower) ? true : ["false", "no", "off"].contains(lower) ? false : nil
    }
}
