import DurableFiles
import Foundation
import TextFormatting

/// The file `data.yaml` of a YOLO data set: `path`, `train`, `val`, `test` and `names`.
///
/// It reads the forms in which programs write these keys: text, lists and maps, on one line or one entry a line.
struct YOLODescription {
    /// The names of the classes by their numbers.
    let names: [String]
    /// The places of the pictures to measure: those of `val`, otherwise of `test` or `train`; nil if there are none.
    let pictures: [String]?
    private let path: String?

    /// - Throws: `EvaluationError.malformedLabels` or `.unreadable`.
    init(contentsOf url: URL) throws(EvaluationError) {
        let shown = url.path(percentEncoded: false)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path: shown, reason: SystemReason.of(error))
        }
        var values: [String: [(key: String, value: String)]] = [:]
        var open: String?
        for line in String(decoding: TextEncoding.utf8(data), as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            guard !text.isEmpty, !text.hasPrefix("#"), text != "---" else { continue }
            let isNested = line.first?.isWhitespace == true || text.hasPrefix("- ")
            if isNested, let open {
                values[open, default: []].append(Self.entry(text))
            } else if let colon = Self.colon(in: text) {
                let key = Self.unquoted(text[..<colon])
                let value = Self.uncommented(text[text.index(after: colon)...])
                open = key
                values[key] = Self.entries(value)
            }
        }
        var names: [String] = []
        for (number, entry) in (values["names"] ?? []).enumerated() {
            guard let index = entry.key.isEmpty ? number : Int(entry.key), (0..<100_000).contains(index) else {
                throw .malformedLabels(
                    path: shown,
                    reason: "names has the key \(entry.key), expected the number of a class"
                )
            }
            while names.count <= index { names.append("class \(names.count)") }
            names[index] = entry.value
        }
        self.names = names
        path = values["path"]?.first?.value
        pictures = ["val", "valid", "test", "train"].lazy.compactMap { values[$0]?.map(\.value).filter { !$0.isEmpty } }
            .first { !$0.isEmpty }
    }

    /// The folder to which the paths of the description are relative.
    ///
    /// - Parameter folder: the folder of the description.
    func root(in folder: URL) -> URL {
        guard let path, !path.isEmpty, path != "." else { return folder }
        let root = (path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)).standardizedFileURL
        // The folder may have moved since, or the path may be relative to the folder of all data sets.
        return FileManager.default.fileExists(atPath: root.path(percentEncoded: false)) ? root : folder
    }

    /// The entries of a value on one line: `[a, b]`, `{0: a, 1: b}`, or a single text.
    private static func entries(_ value: String) -> [(key: String, value: String)] {
        guard let first = value.first else { return [] }
        guard (first == "[" && value.hasSuffix("]")) || (first == "{" && value.hasSuffix("}")) else {
            return value == "null" || value == "~" ? [] : [("", unquoted(value))]
        }
        var (parts, quote, part) = ([String](), Character?.none, "")
        for character in value.dropFirst().dropLast() {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "," {
                parts.append(part)
                part = ""
                continue
            }
            part.append(character)
        }
        parts.append(part)
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .map { first == "{" ? entry($0) : ("", unquoted($0)) }
    }

    /// An entry of a list, `- a`, or of a map, `0: a`.
    private static func entry(_ text: String) -> (key: String, value: String) {
        if text.hasPrefix("- ") { return ("", unquoted(uncommented(text.dropFirst(2)))) }
        guard let colon = colon(in: text) else { return ("", unquoted(uncommented(text[...]))) }
        return (unquoted(text[..<colon]), unquoted(uncommented(text[text.index(after: colon)...])))
    }

    /// The colon behind a key.
    private static func colon(in text: String) -> String.Index? {
        text.indices.first {
            text[$0] == ":" && (text.index(after: $0) == text.endIndex || text[text.index(after: $0)] == " ")
        }
    }

    private static func uncommented(_ text: some StringProtocol) -> String {
        let value = text.trimmingCharacters(in: .whitespaces)
        guard value.first != "\"", value.first != "'", let comment = value.firstRange(of: " #") else { return value }
        return value[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
    }

    private static func unquoted(_ text: some StringProtocol) -> String {
        let value = text.trimmingCharacters(in: .whitespaces)
        guard value.count > 1, let first = value.first, first == "\"" || first == "'", value.last == first else {
            return value
        }
        guard first == "\"" else { return String(value.dropFirst().dropLast()).replacing("''", with: "'") }
        return (try? JSONDecoder().decode(String.self, from: Data(value.utf8))) ?? String(value.dropFirst().dropLast())
    }
}
