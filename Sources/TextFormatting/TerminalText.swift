/// Measures and shortens text by the columns that it occupies on a terminal.
package enum TerminalText {
    /// The number of columns that the text occupies: two for a wide East Asian character or an emoji, one for any other character.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The text with a space in place of each control character, which could move the cursor or change the terminal's colors.
    package static func printable(_ text: String) -> String {
        String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
    }

    /// The text, shortened with an ellipsis if it is wider than `maximum` columns.
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
        // Variation selector 16 requests the wide emoji form of a character.
        let isEmoji = first.properties.isEmojiPresentation || character.unicodeScalars.contains { $0.value == 0xFE0F }
        return isEmoji || wideRanges.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks with wide and full-width characters (Unicode Standard Annex #11).
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
