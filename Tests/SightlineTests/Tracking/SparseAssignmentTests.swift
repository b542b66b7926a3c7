import SightlineTestSupport
import Testing

@testable import Sightline

/// The pairs with the largest sum of gains are found.
@Suite(.hangLimit) struct SparseAssignmentTests {
    private func solve(_ gains: [[Double?]], mostPairs: Int = 100) -> [Int?] {
        var assignment = SparseAssignment()
        assignment.begin(columnCount: gains.first?.count ?? 0)
        var rows: [Int] = []
        for (index, row) in gains.enumerated() {
            for (column, gain) in row.enumerated() {
                if let gain { assignment.add(column: column, gain: gain) }
            }
            if assignment.endRow(mostPairs: mostPairs) { rows.append(index) }
        }
        assignment.solve()
        var columns = [Int?](repeating: nil, count: gains.count)
        for (row, index) in rows.enumerated() { columns[index] = assignment.column(of: row) }
        return columns
    }

    /// The largest sum, by trying everything.
    private func best(_ gains: [[Double?]], row: Int = 0, used: Set<Int> = []) -> Double {
        guard row < gains.count else { return 0 }
        var result = best(gains, row: row + 1, used: used)
        for (column, gain) in gains[row].enumerated() where !used.contains(column) {
            guard let gain else { continue }
            result = max(result, gain + best(gains, row: row + 1, used: used.union([column])))
        }
        return result
    }

    @Test(arguments: 1...200) func `Small random problems are solved as well as by trying everything`(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        let rowCount = Int.random(in: 1...6, using: &random)
        let columnCount = Int.random(in: 1...6, using: &random)
        let density = Double.random(in: 0.2...1, using: &random)
        // A few steps of equal gains, so that ties occur.
        let gains: [[Double?]] = (0..<rowCount).map { _ in
            (0..<columnCount).map { _ in
                Double.random(in: 0...1, using: &random) < density
                    ? Double(Int.random(in: 1...20, using: &random)) / 16 : nil
            }
        }
        let columns = solve(gains)
        let taken = columns.compactMap { $0 }
        #expect(Set(taken).count == taken.count)
        var sum = 0.0
        for (row, column) in columns.enumerated() {
            guard let column else { continue }
            let gain = gains[row][column]
            #expect(gain != nil)
            sum += gain ?? 0
        }
        #expect(abs(sum - best(gains)) < 1e-9)
    }

    /// The earlier search, which looked at all columns that it had reached for each one that it settled.
    @Test(arguments: 0..<20 as Range<UInt64>) func `A crowd has the pairs that looking at all columns finds`(
        seed: UInt64
    ) {
        var random = RepeatableRandom(seed: seed)
        let count = 120
        // Steps of gains, so that ties occur.
        let gains: [[Double?]] = (0..<count).map { _ in
            (0..<count).map { _ in
                Int.random(in: 0..<4, using: &random) == 0 ? Double(Int.random(in: 1...40, using: &random)) / 16 : nil
            }
        }
        let pairs = gains.map { row in row.enumerated().compactMap { column, gain in gain.map { (column, $0) } } }
        #expect(solve(gains) == LinearSearchAssignment(rows: pairs, columnCount: count).columns)
    }

    @Test func `A solver that is used again knows nothing of the last problem`() {
        var assignment = SparseAssignment()
        for columnCount in [5, 2, 7] {
            assignment.begin(columnCount: columnCount)
            for column in 0..<columnCount {
                assignment.add(column: column, gain: 1)
                let isRow = assignment.endRow(mostPairs: 5)
                #expect(isRow)
            }
            assignment.solve()
            #expect((0..<columnCount).map { assignment.column(of: $0) } == Array(0..<columnCount))
        }
    }

    @Test func `Only so many pairs of a row are weighed, and those are the best`() {
        #expect(solve([[0.1, 0.5, 0.3]], mostPairs: 1) == [1])
    }

    @Test func `Rows without pairs stay alone`() {
        #expect(solve([[nil, nil], [0.5, nil]]) == [nil, 0])
    }
}
