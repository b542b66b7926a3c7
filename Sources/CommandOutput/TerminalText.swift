/// How text takes up columns on a terminal.
package enum TerminalText {
    /// How many columns text takes up: two for wide East Asian characters and emoji, one for others.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The text without control characters, which could move the cursor or colour the terminal.
    package static func printable(_ text: String) -> String {
        String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
    }

    /// The text, cut with an ellipsis if it is wider than allowed.
    package static func shortened(_ text: String, to maximum: Int) -> String {
        guard width(text) > maximum else { return text }
        var (result, used) = ("", 0)
        for character in text {
            used += width(character)
            if used > maximum - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // A variation selector asks for the wide picture of a sign that is narrow as text.
        let isEmoji = first.properties.isEmojiPresentation || character.unicodeScalars.contains { $0.value == 0xFE0F }
        return isEmoji || wideRanges.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks whose characters are wide or full-width in Unicode Standard Annex #11.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
