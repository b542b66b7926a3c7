import Foundation

/// The public declarations of a module, read from its sources.
///
/// Types are `Name`, members `Name.member`, functions `Name.function(label:_:)`. It knows as much Swift as the facades are
/// written in: no nested functions, and types whose members stand four spaces further in.
public enum PublicSymbols {
    /// The public declarations in the sources of a folder, what is for Apple systems only included.
    public static func all(in folder: URL) throws -> Set<String> {
        var symbols: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            symbols.formUnion(all(in: try String(contentsOf: file, encoding: .utf8)))
        }
        return symbols
    }

    static func all(in source: String) -> Set<String> {
        var symbols: Set<String> = []
        // The types around a line, and how far in each stands.
        var types: [(name: String, indent: Int, isPublicEnum: Bool)] = []
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            guard !text.isEmpty, !text.hasPrefix("//"), !text.hasPrefix("#"), !text.hasPrefix(")") else { continue }
            while let last = types.last, indent <= last.indent { types.removeLast() }
            var words = text.split(separator: " ").map(String.init)
            let isPublic = words.contains("public") || words.contains("open")
            while let first = words.first, words.count > 1, modifiers.contains(first) || first.hasPrefix("@") {
                if first == "class", !["func", "var", "let"].contains(words[1]) { break }
                words.removeFirst()
            }
            guard let keyword = words.first, words.count > 1 || keyword.hasPrefix("init") else { continue }
            let scope = types.last.map { "\($0.name)." } ?? ""
            switch keyword {
            case "class", "struct", "enum", "actor", "extension", "protocol":
                let name = String(words[1].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
                if isPublic, keyword != "extension" { symbols.insert(scope + name) }
                let qualified = keyword == "extension" ? name : scope + name
                types.append((qualified, indent, isPublic && keyword == "enum"))
            case "case" where types.last?.isPublicEnum == true:
                let cases = words.dropFirst().joined(separator: " ").split(separator: ",")
                for one in cases {
                    let name = one.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber }
                    symbols.insert(scope + name)
                }
            case "var" where isPublic, "let" where isPublic, "typealias" where isPublic:
                symbols.insert(scope + words[1].prefix { $0.isLetter || $0.isNumber })
            case "func" where isPublic:
                let name = words[1].prefix { $0 != "(" && $0 != "<" }
                symbols.insert("\(scope)\(name)(\(labels(lines[number...])))")
            default:
                guard isPublic, keyword.hasPrefix("init") else { continue }
                symbols.insert("\(scope)init(\(labels(lines[number...])))")
            }
        }
        return symbols
    }

    private static let modifiers: Set<String> = [
        "public", "open", "final", "static", "class", "convenience", "override", "required", "private(set)",
        "package(set)", "nonisolated", "indirect",
    ]

    /// The labels of the first list of parameters.
    private static func labels(_ lines: ArraySlice<Substring>) -> String {
        var depth = 0
        var last: Character = " "
        var isLabel = false
        var label = ""
        var labels = ""
        for character in lines.joined(separator: " ").drop(while: { $0 != "(" }) {
            defer { last = character }
            switch character {
            case ">" where last == "-":
                break
            case "(", "[", "<":
                depth += 1
                if depth == 1 { isLabel = true }
            case ")", "]", ">":
                depth -= 1
                if depth == 0 { return labels }
            case "," where depth == 1:
                isLabel = true
            case " " where isLabel && label.isEmpty:
                break
            case " " where isLabel, ":" where isLabel:
                labels += label + ":"
                (label, isLabel) = ("", false)
            case _ where isLabel:
                label.append(character)
            default:
                break
            }
        }
        return labels
    }
}
