/// The division of pictures into parts, each of which is measured by a layer that learned from the others.
///
/// Pictures that are nearly the same are in the same part, and each label is spread evenly. The division depends on the pictures'
/// bytes, not on their names or their order.
struct Folds {
    /// The part of each row that was divided; nil for the others.
    let parts: [Int?]
    let count: Int

    /// - Parameters:
    ///   - rows: The rows to divide.
    ///   - groups: The group of each row of the matrix.
    ///   - labels: The labels of each row of the matrix.
    ///   - digests: The SHA-256 of each row of the matrix.
    ///   - seed: Another number leads to another division.
    init(
        _ rows: [Int],
        groups: [Int],
        labels: [[Int]],
        digests: [FeatureCache.Digest],
        labelCount: Int,
        seed: UInt64,
        atMost maximum: Int = 5
    ) {
        var members: [Int: [Int]] = [:]
        for row in rows { members[groups[row], default: []].append(row) }
        count = min(maximum, members.count)
        var parts = [Int?](repeating: nil, count: groups.count)
        guard count > 0 else {
            self.parts = parts
            return
        }
        struct Unit {
            let rows: [Int]
            let key: FeatureCache.Digest
        }
        let units = members.values.map { rows -> Unit in
            let least = rows.map { digests[$0] }.min { $0.lexicographicallyPrecedes($1) } ?? []
            let suffix = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (8 * UInt64($0))) }
            return Unit(rows: rows, key: FeatureCache.digest(of: least + suffix))
        }
        // Large groups first, since they are hard to place; then in an order by chance.
        .sorted { one, two in
            one.rows.count != two.rows.count
                ? one.rows.count > two.rows.count : one.key.lexicographicallyPrecedes(two.key)
        }
        var counts = [[Int]](repeating: [Int](repeating: 0, count: labelCount + 1), count: count)
        var totals = [Int](repeating: 0, count: count)
        for unit in units {
            // The last count is that of pictures without a label.
            let found = unit.rows.flatMap { labels[$0].isEmpty ? [labelCount] : labels[$0] }
            func load(_ part: Int) -> (Int, Int, Int) {
                (found.reduce(0) { $0 + counts[part][$1] }, totals[part], part)
            }
            let part = (0..<count).min { load($0) < load($1) } ?? 0
            for label in found { counts[part][label] += 1 }
            totals[part] += unit.rows.count
            for row in unit.rows { parts[row] = part }
        }
        self.parts = parts
    }

    /// The rows of a part, and the rows of all other parts.
    func split(_ part: Int) -> (measured: [Int], learned: [Int]) {
        var (measured, learned): ([Int], [Int]) = ([], [])
        for (row, found) in parts.enumerated() {
            guard let found else { continue }
            if found == part { measured.append(row) } else { learned.append(row) }
        }
        return (measured, learned)
    }
}
