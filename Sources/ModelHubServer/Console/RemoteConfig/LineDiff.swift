import TextFormatting

/// The differences between two texts, line by line, with a few unchanged lines around each change.
struct LineDiff: Sendable, Hashable {
    /// A line and its change.
    struct Line: Sendable, Hashable {
        enum Kind: String, Sendable {
            case same, added, removed
            /// Omitted unchanged lines.
            case gap
        }

        var kind: Kind
        var text: String
    }

    private(set) var lines: [Line] = []

    /// Whether the texts are equal.
    var isEmpty: Bool { lines.isEmpty }

    private static let context = 3
    /// Texts with more differing lines are shown as a single change, because a comparison would take too long.
    private static let maximumLines = 2000

    init(from old: String, to new: String) {
        let old = old.split(separator: "\n", omittingEmptySubsequences: false)
        let new = new.split(separator: "\n", omittingEmptySubsequences: false)
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let shorter = min(old.count, new.count) - prefix
        let suffix = zip(old.reversed(), new.reversed()).prefix(shorter).prefix { $0 == $1 }.count
        let (oldPart, newPart) = (old[prefix..<old.count - suffix], new[prefix..<new.count - suffix])
        guard !oldPart.isEmpty || !newPart.isEmpty else { return }
        var all = old[..<prefix].map { Line(kind: .same, text: String($0)) }
        all += Self.changes(Array(oldPart), Array(newPart))
        all += old[(old.count - suffix)...].map { Line(kind: .same, text: String($0)) }
        lines = Self.withoutGaps(all)
    }

    private static func changes(_ old: [Substring], _ new: [Substring]) -> [Line] {
        guard old.count + new.count <= maximumLines else {
            return old.map { Line(kind: .removed, text: String($0)) } + new.map { Line(kind: .added, text: String($0)) }
        }
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left), left < old.count {
                lines.append(Line(kind: .removed, text: String(old[left])))
                left += 1
            } else if added.contains(right), right < new.count {
                lines.append(Line(kind: .added, text: String(new[right])))
                right += 1
            } else if left < old.count {
                lines.append(Line(kind: .same, text: String(old[left])))
                left += 1
                right += 1
            } else {
                break
            }
        }
        return lines
    }

    private static func withoutGaps(_ lines: [Line]) -> [Line] {
        var isNear = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.kind != .same {
            for near in max(0, index - context)...min(lines.count - 1, index + context) { isNear[near] = true }
        }
        var kept: [Line] = []
        for (line, isNear) in zip(lines, isNear) {
            if isNear {
                kept.append(line)
            } else if kept.last?.kind != .gap {
                kept.append(Line(kind: .gap, text: "…"))
            }
        }
        return kept
    }
}

/// A difference of texts, prepared for pages.
struct DiffView: Sendable {
    struct Line: Sendable {
        var sign: String
        var text: String
        var kind: String
        var meaning: String
    }

    /// The maximum number of shown lines.
    private static let maximumLines = 2000

    var lines: [Line]
    var isEmpty: Bool

    init(from old: String, to new: String) {
        let diff = LineDiff(from: old, to: new)
        isEmpty = diff.isEmpty
        let shown = diff.lines.prefix(Self.maximumLines)
        lines = shown.map { line in
            let (sign, meaning) =
                switch line.kind {
                case .same, .gap: (" ", "")
                case .added: ("+", "Added: ")
                case .removed: ("−", "Removed: ")
                }
            return Line(sign: sign, text: line.text, kind: line.kind.rawValue, meaning: meaning)
        }
        if shown.count < diff.lines.count {
            let text = "… and \(NumberText.grouped(diff.lines.count - shown.count, "more line"))"
            lines.append(Line(sign: " ", text: text, kind: LineDiff.Line.Kind.gap.rawValue, meaning: ""))
        }
    }
}
