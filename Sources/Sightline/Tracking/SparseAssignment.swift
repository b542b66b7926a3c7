/// Pairs rows with columns so that the sum of the gains of the pairs is the largest possible.
///
/// Each row and column is in one pair at most, and may stay alone. Rows are added one after the other, each along the
/// shortest augmenting path (Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems", Computing 38, 1987); staying alone is a column of the row's own with gain 0. A search never
/// leaves the connected component of its row, so the cost follows the size of the components, not the size of the whole problem.
struct SparseAssignment: Sendable {
    /// A possible pair with its gain, which is positive.
    struct Pair: Sendable {
        var column: Int
        var gain: Double
    }

    /// The column of each row; −1 for none.
    private var columnOfRow: [Int] = []
    private var rowOfColumn: [Int] = []
    private var pairs: [Pair] = []
    private var starts: [Int] = [0]
    private var rowPotential: [Double] = []
    private var columnPotential: [Double] = []
    private var distance: [Double] = []
    private var previousRow: [Int] = []
    /// The number of columns that a search reached before each column that it has reached.
    private var touchedPlace: [Int] = []
    private var isSettled: [Bool] = []
    private var touched: [Int] = []
    private var settled: [Int] = []
    private var queue = ColumnQueue()

    /// Forgets all pairs and begins a problem with a number of columns.
    mutating func begin(columnCount: Int) {
        pairs.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
        Self.fill(&rowOfColumn, with: -1, count: columnCount)
        Self.fill(&columnPotential, with: 0, count: columnCount)
        Self.fill(&distance, with: .infinity, count: columnCount)
        Self.fill(&previousRow, with: -1, count: columnCount)
        Self.fill(&touchedPlace, with: 0, count: columnCount)
        Self.fill(&isSettled, with: false, count: columnCount)
    }

    /// Adds a possible pair to the row that is being described.
    mutating func add(column: Int, gain: Double) {
        pairs.append(Pair(column: column, gain: gain))
    }

    /// Ends the row that is being described and keeps its best pairs; a row without pairs does not count, and false is returned.
    mutating func endRow(mostPairs: Int) -> Bool {
        let start = starts.last ?? 0
        if pairs.count > start + mostPairs {
            pairs[start...].sort { $0.gain != $1.gain ? $0.gain > $1.gain : $0.column < $1.column }
            pairs.removeLast(pairs.count - start - mostPairs)
        }
        if pairs.count == start { return false }
        starts.append(pairs.count)
        return true
    }

    /// The column that a row was paired with; nil if it stays alone.
    func column(of row: Int) -> Int? {
        columnOfRow[row] < 0 ? nil : columnOfRow[row]
    }

    /// Finds the best pairs.
    mutating func solve() {
        let rowCount = starts.count - 1
        Self.fill(&columnOfRow, with: -1, count: rowCount)
        Self.fill(&rowPotential, with: 0, count: rowCount)
        for row in 0..<rowCount { insert(row) }
    }

    private static func fill<T>(_ array: inout [T], with value: T, count: Int) {
        array.removeAll(keepingCapacity: true)
        array.append(contentsOf: repeatElement(value, count: count))
    }

    private mutating func insert(_ row: Int) {
        // Costs are negative gains; a row's own column costs nothing.
        var least = 0.0
        var nearest = -1
        for index in starts[row]..<starts[row + 1] {
            let cost = -pairs[index].gain - columnPotential[pairs[index].column]
            if cost < least {
                least = cost
                nearest = pairs[index].column
            }
        }
        rowPotential[row] = least
        if nearest < 0 { return }
        if rowOfColumn[nearest] < 0 {
            rowOfColumn[nearest] = row
            columnOfRow[row] = nearest
            return
        }
        search(from: row)
    }

    private mutating func search(from start: Int) {
        var current = start
        var reached = 0.0
        var aloneDistance = Double.infinity
        var aloneRow = start
        var freeColumn = -1
        var total = 0.0
        while true {
            for index in starts[current]..<starts[current + 1] {
                let column = pairs[index].column
                if isSettled[column] { continue }
                let length = reached - pairs[index].gain - rowPotential[current] - columnPotential[column]
                if length < distance[column] {
                    if distance[column] == .infinity {
                        touchedPlace[column] = touched.count
                        touched.append(column)
                    }
                    distance[column] = length
                    previousRow[column] = current
                    if length < aloneDistance {
                        queue.add(ColumnQueue.Entry(column: column, place: touchedPlace[column], distance: length))
                    }
                }
            }
            if reached - rowPotential[current] < aloneDistance {
                aloneDistance = reached - rowPotential[current]
                aloneRow = current
            }
            var nearest = -1
            var least = aloneDistance
            while let entry = queue.first, entry.distance < aloneDistance {
                queue.removeFirst()
                // A column that was settled, or reached on a shorter way, has an earlier entry.
                if isSettled[entry.column] || entry.distance > distance[entry.column] { continue }
                (nearest, least) = (entry.column, entry.distance)
                break
            }
            total = least
            if nearest < 0 { break }
            if rowOfColumn[nearest] < 0 {
                freeColumn = nearest
                break
            }
            isSettled[nearest] = true
            settled.append(nearest)
            reached = least
            current = rowOfColumn[nearest]
        }
        rowPotential[start] += total
        for column in settled {
            columnPotential[column] += distance[column] - total
            rowPotential[rowOfColumn[column]] += total - distance[column]
        }
        if freeColumn < 0, aloneRow != start {
            freeColumn = columnOfRow[aloneRow]
            columnOfRow[aloneRow] = -1
        }
        while freeColumn >= 0 {
            let row = previousRow[freeColumn]
            rowOfColumn[freeColumn] = row
            swap(&columnOfRow[row], &freeColumn)
            if row == start { break }
        }
        for column in touched {
            distance[column] = .infinity
            isSettled[column] = false
        }
        touched.removeAll(keepingCapacity: true)
        settled.removeAll(keepingCapacity: true)
        queue.removeAll()
    }
}

/// The columns that a search has reached, the nearest first; of equally near columns, the one that was reached first (a binary heap).
private struct ColumnQueue: Sendable {
    struct Entry: Sendable {
        var column: Int
        /// The number of columns that were reached before this one.
        var place: Int
        var distance: Double

        static func < (first: Entry, second: Entry) -> Bool {
            first.distance != second.distance ? first.distance < second.distance : first.place < second.place
        }
    }

    private var entries: [Entry] = []

    /// The nearest column; nil if there is none.
    var first: Entry? { entries.first }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    mutating func add(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0, entry < entries[(place - 1) / 2] {
            entries[place] = entries[(place - 1) / 2]
            place = (place - 1) / 2
        }
        entries[place] = entry
    }

    mutating func removeFirst() {
        guard let entry = entries.popLast(), !entries.isEmpty else { return }
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            entries[place] = entries[child]
            place = child
        }
        entries[place] = entry
    }
}
