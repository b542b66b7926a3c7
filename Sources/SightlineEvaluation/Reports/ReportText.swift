import TextFormatting

/// Text that several reports share.
enum ReportText {
    /// Headings at the left and facts beside them.
    static func facts(_ facts: [(String, String)]) -> String {
        var list = FactList(indent: (facts.map(\.0.count).max() ?? 0) + 3)
        for (heading, fact) in facts { list.add(heading, fact) }
        return list.text
    }

    /// Sentences below a table.
    static func notes(_ notes: [String?]) -> String {
        let lines = notes.compactMap(\.self)
        return lines.isEmpty ? "" : "\n" + lines.map { TerminalText.printable($0) + "\n" }.joined()
    }
}

extension SkippedPictures {
    /// A sentence for the user; nil if no picture was skipped.
    public var sentence: String? {
        guard let first = pictures.first else { return nil }
        let subject = count > 1 ? "\(count) pictures were skipped. The first is" : "A picture was skipped:"
        return "\(subject) \(first.path): \(first.reason)"
    }
}
