/// Suggestions for misspelled names.
package enum Suggestion {
    private static let maximumCount = 3
    /// The shortest part of a name that leads to a suggestion.
    private static let minimumPart = 3

    /// The known names that are nearest to a word, nearest first: names that contain the word, and names that differ in at most one
    /// letter of three.
    package static func nearest(to word: String, among names: [String]) -> [String] {
        let wanted = word.lowercased()
        let ranked = names.compactMap { name -> (name: String, rank: Int)? in
            let known = name.lowercased()
            let distance = Spelling.distance(wanted, known)
            if distance <= max(wanted.count / 3, 1) { return (name, distance) }
            guard wanted.count >= minimumPart, known.contains(wanted) else { return nil }
            // Misspelled names come first.
            return (name, 100 + known.count)
        }
        return ranked.sorted { $0.rank < $1.rank }.prefix(maximumCount).map(\.name)
    }
}
