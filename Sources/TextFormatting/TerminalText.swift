/// Measures and shortens text by the columns that it occupies on a terminal.
package enum TerminalText {
    /// The number of columns that the text occupies: two for a wide East Asian character or an emoji, one for any other character.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// A line for a terminal: the text with a space in place of each character that could act on the terminal or reorder the text
    /// around it. These are line breaks, control characters, which move the cursor or change colors, and format characters, which
    /// hide text or turn its direction (Unicode Technical Report 36, section 2.10).
    package static func printable(_ text: String) -> String { replacing(in: text) { _ in false } }

    /// Lines for a terminal: as ``printable(_:)``, but line feeds and tabs stay.
    package static func printableLines(_ text: String) -> String { replacing(in: text) { $0 == "\n" || $0 == "\t" } }

    private static func replacing(in text: String, except isKept: (Unicode.Scalar) -> Bool) -> String {
        guard !text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(actsOnTerminal(scalar) && !isKept(scalar) ? " " : scalar) }
        return String(scalars)
    }

    /// Whether a character is a control or format character, or separates lines or paragraphs. The joiners are text: emoji of several
    /// people and Persian words need them.
    static func actsOnTerminal(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
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
