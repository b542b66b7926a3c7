/// The detections of one frame, found by place.
///
/// Each lies in one cell of a grid of squares, that of its centre; the side of the squares is the power of two that is
/// no smaller than the detection's longer side, so that small and large boxes lie in different grids. All cells are
/// one sorted array of keys: who looks for boxes that touch a given one reads a few short runs of it, and never all
/// pairs. Building costs n log n. The order depends on the boxes alone and not on the order in which they came.
struct DetectionGrid: Sendable {
    /// A detection in the grid.
    struct Entry: Sendable {
        var key: UInt64
        var frame: PixelRect
        var confidence: Float
        var classIndex: Int?
        /// The position among the detections as they came.
        var index: Int
        var isTaken = false
    }

    /// The largest coordinate that is taken in, in pixels to either side.
    static let limit = 1e7
    /// The smallest extent that is taken in, in pixels.
    static let smallestExtent = 1e-3
    private static let lowestLevel = 2

    private(set) var entries: [Entry] = []
    /// The levels that have entries, with the range of them.
    private var levels: [(level: Int, range: Range<Int>)] = []

    /// Takes in the detections of a frame that are usable and at least so confident.
    mutating func fill(with detections: [Detection], minimumConfidence: Float) {
        entries.removeAll(keepingCapacity: true)
        for (index, detection) in detections.enumerated() {
            // A NaN fails each of these comparisons.
            let box = detection.frame
            guard detection.confidence >= minimumConfidence,
                box.width >= Self.smallestExtent, box.height >= Self.smallestExtent,
                box.x >= -Self.limit, box.y >= -Self.limit, box.maxX <= Self.limit, box.maxY <= Self.limit
            else { continue }
            entries.append(
                Entry(
                    key: Self.key(of: box),
                    frame: box,
                    confidence: min(max(detection.confidence, 0), 1),
                    classIndex: detection.classIndex,
                    index: index
                )
            )
        }
        entries.sort(by: Self.precedes)
        levels.removeAll(keepingCapacity: true)
        var start = 0
        while start < entries.count {
            let level = Int(entries[start].key >> 56)
            var end = start + 1
            while end < entries.count, Int(entries[end].key >> 56) == level { end += 1 }
            levels.append((level, start..<end))
            start = end
        }
    }

    mutating func take(_ position: Int) { entries[position].isTaken = true }

    /// Calls with the position of each entry that might touch a box.
    func forEach(near box: PixelRect, _ body: (Int) -> Void) {
        for (level, range) in levels {
            let cell = Double(UInt64(1) << UInt64(level))
            let columns = Self.cellIndex(box.x - cell / 2, cell)...Self.cellIndex(box.maxX + cell / 2, cell)
            let rows = Self.cellIndex(box.y - cell / 2, cell)...Self.cellIndex(box.maxY + cell / 2, cell)
            if rows.count >= range.count {
                for position in range { body(position) }
                continue
            }
            for row in rows {
                let rowKey = UInt64(level) << 56 | UInt64(row) << 28
                var position = lowerBound(rowKey | UInt64(columns.lowerBound), in: range)
                let last = rowKey | UInt64(columns.upperBound)
                while position < range.upperBound, entries[position].key <= last {
                    body(position)
                    position += 1
                }
            }
        }
    }

    private func lowerBound(_ key: UInt64, in range: Range<Int>) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The cell of a coordinate, from 0; coordinates beyond the limit are in the outermost cells.
    private static func cellIndex(_ coordinate: Double, _ cell: Double) -> Int {
        Int(((min(max(coordinate, -limit), limit) + limit) / cell).rounded(.down))
    }

    private static func key(of box: PixelRect) -> UInt64 {
        let extent = max(box.width, box.height)
        let level = max(lowestLevel, extent.exponent == Int.min ? 0 : Int(extent.exponent) + 1)
        let cell = Double(UInt64(1) << UInt64(level))
        return UInt64(level) << 56 | UInt64(cellIndex(box.midY, cell)) << 28 | UInt64(cellIndex(box.midX, cell))
    }

    private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
        if a.key != b.key { return a.key < b.key }
        if a.frame.x != b.frame.x { return a.frame.x < b.frame.x }
        if a.frame.y != b.frame.y { return a.frame.y < b.frame.y }
        if a.frame.width != b.frame.width { return a.frame.width < b.frame.width }
        if a.frame.height != b.frame.height { return a.frame.height < b.frame.height }
        if a.confidence != b.confidence { return a.confidence > b.confidence }
        return (a.classIndex ?? -1, a.index) < (b.classIndex ?? -1, b.index)
    }
}
