/// A language code of an app or a condition, in one form for comparisons (BCP 47).
///
/// SDKs separate the region by a hyphen or an underscore, write scripts as `zh_CN_#Hans`, and Java keeps codes that ISO 639 has replaced.
struct LanguageTag: Sendable, Hashable {
    /// Codes that were replaced, and their successors (CLDR, supplementalMetadata.xml): those that Java and Android keep, and others that
    /// systems report in both forms.
    private static let successors = [
        "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "tl": "fil", "no": "nb", "sh": "sr-latn",
    ]
    /// The script of Chinese where a code has only the region.
    private static let scripts = ["zh-cn": "hans", "zh-sg": "hans", "zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant"]

    /// The maximum number of parts that count.
    private static let partLimit = 8

    /// The code in lowercase with hyphens, without extensions, its language and script first.
    let text: String

    /// Reads a code, which may be anything.
    init(_ code: String) {
        var parts = code.lowercased().split(maxSplits: Self.partLimit) { $0 == "-" || $0 == "_" }
            .prefix(Self.partLimit).map { $0.drop { $0 == "#" } }
        // A part of one character begins an extension: `ar-EG-u-nu-latn`.
        if let end = parts.dropFirst().firstIndex(where: { $0.count <= 1 }) { parts.removeSubrange(end...) }
        if let first = parts.first, let successor = Self.successors[String(first)] {
            parts.replaceSubrange(0..<1, with: successor.split(separator: "-"))
        }
        // Java writes the script after the region.
        if let index = parts.dropFirst().firstIndex(where: { $0.utf8.count == 4 && $0.allSatisfy(\.isLetter) }),
            index > 1
        {
            parts.insert(parts.remove(at: index), at: 1)
        }
        text = parts.joined(separator: "-")
    }

    /// The codes that a condition may name for an app with this language: itself, and each less exact one, from the most exact on.
    var matches: [String] {
        var parts = text.split(separator: "-")[...]
        guard parts.count > 1 else { return [text] }
        var (matches, withoutScript): ([String], [String]) = ([], [])
        if let script = Self.scripts[text] {
            parts.insert(Substring(script), at: 1)
            matches.append(text)
        }
        if parts.count > 2, parts[1].utf8.count == 4 {
            withoutScript = [([parts[0]] + parts[2...]).joined(separator: "-")]
        }
        while !parts.isEmpty {
            matches.append(parts.joined(separator: "-"))
            parts.removeLast()
        }
        return matches + withoutScript
    }
}
