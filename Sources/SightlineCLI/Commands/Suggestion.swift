/// Suggestions for misspelled names.
enum Suggestion {
    private static let maximumCount = 3
    /// The shortest part of a name that leads to a suggestion.
    private static let minimumPart = 3

    /// The known names that are nearest to a word, nearest first: names that contain the word, and names that differ in at most one
    /// letter of three.
    static func nearest(to word: String, among names: [String]) -> [String] {
        let wanted = word.lowercased()
        let ranked = names.compactMap { name -> (name: String, rank: Int)? in
            let known = name.lowercased()
            let distance = distance(wanted, known)
            if distance <= max(wanted.count / 3, 1) { return (name, distance) }
            guard wanted.count >= minimumPart, known.contains(wanted) else { return nil }
            // Misspelled names come first.
            return (name, 100 + known.count)
        }
        return ranked.sorted { $0.rank < $1.rank }.prefix(maximumCount).map(\.name)
    }

    /// The number of letters to insert, remove, replace or swap with a neighbor (optimal string alignment).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (first[i] == second[j] ? 0 : 1))
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
