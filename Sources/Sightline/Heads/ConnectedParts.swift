import SightlineImages

/// Connected parts of a grid of classes: cells of one class that share edges.
enum ConnectedParts {
    /// A part.
    struct Part {
        /// The class of its cells.
        let value: Int32
        /// Its cells, each as row × width + column, in any order.
        let cells: [Int]
        /// The columns that it reaches.
        let columns: Range<Int>
        /// The rows that it reaches.
        let rows: Range<Int>
        /// Its first cell, row by row.
        let first: Int
    }

    /// The parts with at least `least` cells, in the order of their first cells.
    ///
    /// - Complexity: O(n) for n cells.
    static func find(in classes: [Int32], _ size: PixelSize, least: Int) -> [Part] {
        var seen = [Bool](repeating: false, count: classes.count)
        return classes.indices.compactMap { cell in
            guard !seen[cell] else { return nil }
            let part = part(at: cell, in: classes, size, seen: &seen)
            return part.cells.count >= least ? part : nil
        }
    }

    private static func part(at start: Int, in classes: [Int32], _ size: PixelSize, seen: inout [Bool]) -> Part {
        let value = classes[start]
        var (cells, next) = ([start], 0)
        seen[start] = true
        var columns = start % size.width...start % size.width
        var rows = start / size.width...start / size.width
        while next < cells.count {
            let cell = cells[next]
            next += 1
            let (column, row) = (cell % size.width, cell / size.width)
            columns = min(columns.lowerBound, column)...max(columns.upperBound, column)
            rows = min(rows.lowerBound, row)...max(rows.upperBound, row)
            func visit(_ neighbor: Int) {
                guard !seen[neighbor], classes[neighbor] == value else { return }
                seen[neighbor] = true
                cells.append(neighbor)
            }
            if column > 0 { visit(cell - 1) }
            if column + 1 < size.width { visit(cell + 1) }
            if row > 0 { visit(cell - size.width) }
            if row + 1 < size.height { visit(cell + size.width) }
        }
        return Part(
            value: value,
            cells: cells,
            columns: columns.lowerBound..<columns.upperBound + 1,
            rows: rows.lowerBound..<rows.upperBound + 1,
            first: start
        )
    }
}

extension Candidate {
    /// The box around a part, whose mask is found by the part's first cell.
    ///
    /// - Parameter size: The size of the grid.
    init(_ part: ConnectedParts.Part, of size: PixelSize, score: Float, classIndex: Int) {
        let (width, height) = (Float(size.width), Float(size.height))
        self.init(
            left: Float(part.columns.lowerBound) / width,
            top: Float(part.rows.lowerBound) / height,
            right: Float(part.columns.upperBound) / width,
            bottom: Float(part.rows.upperBound) / height,
            score: score,
            classIndex: classIndex,
            row: part.first
        )
    }
}
