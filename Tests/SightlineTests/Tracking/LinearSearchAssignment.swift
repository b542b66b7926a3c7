/// The assignment of `SparseAssignment`, with a search that looks at all columns that it has reached to find the nearest: simple, and
/// quadratic in a crowd.
struct LinearSearchAssignment {
    /// The column of each row; nil for a row that stays alone.
    private(set) var columns: [Int?]
    private var rowOfColumn: [Int?]
    private var rowPotential: [Double]
    private var columnPotential: [Double]
    private let rows: [[(column: Int, gain: Double)]]

    init(rows: [[(Int, Double)]], columnCount: Int) {
        self.rows = rows.map { $0.map { (column: $0.0, gain: $0.1) } }
        columns = Array(repeating: nil, count: rows.count)
        rowOfColumn = Array(repeating: nil, count: columnCount)
        rowPotential = Array(repeating: 0, count: rows.count)
        columnPotential = Array(repeating: 0, count: columnCount)
        for row in rows.indices { insert(row) }
    }

    private mutating func insert(_ row: Int) {
        var (least, nearest) = (0.0, Int?.none)
        for pair in rows[row] where -pair.gain - columnPotential[pair.column] < least {
            (least, nearest) = (-pair.gain - columnPotential[pair.column], pair.column)
        }
        rowPotential[row] = least
        guard let nearest else { return }
        if rowOfColumn[nearest] == nil {
            (rowOfColumn[nearest], columns[row]) = (row, nearest)
        } else {
            search(from: row)
        }
    }

    private mutating func search(from start: Int) {
        var distance: [Int: Double] = [:]
        var (previous, reachedColumns, settled) = ([Int: Int](), [Int](), [Int]())
        var (current, reached, alone, aloneRow) = (start, 0.0, Double.infinity, start)
        var (free, total) = (Int?.none, 0.0)
        while true {
            for pair in rows[current] where !settled.contains(pair.column) {
                let length = reached - pair.gain - rowPotential[current] - columnPotential[pair.column]
                guard length < distance[pair.column] ?? .infinity else { continue }
                if distance[pair.column] == nil { reachedColumns.append(pair.column) }
                (distance[pair.column], previous[pair.column]) = (length, current)
            }
            if reached - rowPotential[current] < alone {
                (alone, aloneRow) = (reached - rowPotential[current], current)
            }
            var (least, nearest) = (alone, Int?.none)
            for column in reachedColumns where !settled.contains(column) {
                if let length = distance[column], length < least { (least, nearest) = (length, column) }
            }
            total = least
            guard let nearest else { break }
            guard let owner = rowOfColumn[nearest] else {
                free = nearest
                break
            }
            settled.append(nearest)
            (reached, current) = (least, owner)
        }
        rowPotential[start] += total
        for column in settled {
            let rest = (distance[column] ?? 0) - total
            columnPotential[column] += rest
            if let owner = rowOfColumn[column] { rowPotential[owner] -= rest }
        }
        if free == nil, aloneRow != start {
            free = columns[aloneRow]
            columns[aloneRow] = nil
        }
        while let column = free, let row = previous[column] {
            rowOfColumn[column] = row
            (columns[row], free) = (column, columns[row])
            if row == start { break }
        }
    }
}
