/// A version of up to five numbers; missing numbers are zero.
struct SemanticVersion: Sendable, Hashable, Comparable {
    /// The original text.
    let text: String
    private let numbers: [Int]

    static let maximumCount = 5

    /// Nil unless the text consists of numbers separated by points.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumCount else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...18).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.text = text
        self.numbers = numbers
    }

    static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    static func == (left: SemanticVersion, right: SemanticVersion) -> Bool { left.numbers == right.numbers }

    func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}
