/// Sentences about misspelled words.
package enum Spelling {
    /// `"yolo" is not one of yolov5, yolov8`, with a suggestion if one of the known words is close.
    static func refusal(of word: String, known: [String]) -> String {
        "\"\(word.prefix(100))\" is not one of \(known.joined(separator: ", "))" + suggestion(for: word, among: known)
    }

    /// ` (did you mean "threshold"?)` if a known word is close to the wrong word; otherwise empty.
    static func suggestion(for word: String, among known: [String]) -> String {
        guard word.utf8.count <= 100 else { return "" }
        // People also forget the beginning: "threshold" for "scoreThreshold".
        let ranked = known.map { known in
            let end = String(known.drop { !$0.isUppercase })
            let distances = [known, end].filter { !$0.isEmpty }.map { distance(word.lowercased(), $0.lowercased()) }
            return (word: known, distance: distances.min() ?? Int.max)
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(2, word.count / 3) else {
            return ""
        }
        return " (did you mean \"\(best.word)\"?)"
    }

    /// The number of letters that have to be added, removed, replaced or swapped with their neighbor to make one word the other: the
    /// optimal string alignment distance.
    package static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
        var before: [Int] = []
        var last = Array(0...second.count)
        for row in 0..<first.count {
            var next = [row + 1]
            for column in 0..<second.count {
                let isSame = first[row] == second[column]
                var best = min(last[column + 1] + 1, next[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, last) = (last, next)
        }
        return last[second.count]
    }
}
