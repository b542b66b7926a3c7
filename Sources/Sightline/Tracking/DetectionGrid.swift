/// The detections of one frame, or the boxes at which objects are expected, ordered by place.
///
/// Each box lies in the cell of a grid of squares that holds its center. The side of the squares is the power of two that
/// is no smaller than the box's longer side, so that small and large boxes lie in different grids. All cells are one
/// sorted array of keys: a search for boxes that touch a given box reads a few short runs of the array, and never all pairs.
/// Building costs n log n. The order depends on the boxes alone, not on the order of the detections.
struct DetectionGrid: Sendable {
    /// A box in the grid.
    struct Entry: Sendable {
        var key: UInt64
        var frame: PixelRect
        var confidence: Float
        var classIndex: Int?
        /// The position among the detections or objects that were passed.
        var index: Int
        /// The position of the object that the detection was matched with; nil if it is still free.
        var owner: Int?
    }

    /// The largest usable coordinate, in pixels to either side.
    static let limit = 1e7
    /// The smallest usable width and height, in pixels.
    static let smallestExtent = 1e-3
    /// Boxes up to four pixels share a level.
    private static let lowestLevel = 2

    /// The usable detections, in an order that depends on their values alone.
    private(set) var entries: [Entry] = []
    /// The levels that have entries, with the ranges of their entries.
    private var levels: [(level: Int, range: Range<Int>)] = []

    /// Fills the grid with the detections of a frame that are usable and confident enough.
    mutating func fill(with detections: [DetectedObject], minimumConfidence: Float) {
        entries.removeAll(keepingCapacity: true)
        // Fields are read in place: a copy of a detection would retain its labels.
        for index in detections.indices {
            let (box, confidence) = (detections[index].frame, detections[index].objectConfidence)
            // A NaN fails the comparison.
            guard confidence >= minimumConfidence, Self.isUsable(box) else { continue }
            entries.append(
                Entry(
                    key: Self.key(of: box),
                    frame: box,
                    confidence: min(max(confidence, 0), 1),
                    classIndex: detections[index].classIndex,
                    index: index
                )
            )
        }
        arrange()
    }

    /// Fills the grid with the boxes at which objects are expected, if they are usable; `index` is an object's position.
    mutating func fill(withExpected objects: [FollowedObject], where isIncluded: (FollowedObject) -> Bool) {
        entries.removeAll(keepingCapacity: true)
        for index in objects.indices where isIncluded(objects[index]) {
            let box = objects[index].motion.frame
            guard Self.isUsable(box) else { continue }
            entries.append(
                Entry(
                    key: Self.key(of: box),
                    frame: box,
                    confidence: objects[index].confidence,
                    classIndex: objects[index].classIndex,
                    index: index
                )
            )
        }
        arrange()
    }

    /// Orders the entries and finds their levels.
    private mutating func arrange() {
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

    /// Matches an entry with an object.
    mutating func take(_ position: Int, for owner: Int) { entries[position].owner = owner }

    /// Calls `body` with the position of each entry that might touch a box, once the entry is grown by a share of its own size
    /// on each side.
    func forEach(near box: PixelRect, margin: Double, _ body: (Int) -> Void) {
        for (level, range) in levels {
            let cell = Double(UInt64(1) << UInt64(level))
            // No center that matters is farther away than half of the longest side.
            let reach = cell * (0.5 + margin)
            let columns = Self.cells(from: box.x - reach, to: box.maxX + reach, side: cell)
            let rows = Self.cells(from: box.y - reach, to: box.maxY + reach, side: cell)
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

    /// Whether a box is finite, not thinner than a thousandth of a pixel, and within the limit. A NaN fails each comparison.
    private static func isUsable(_ box: PixelRect) -> Bool {
        box.width >= smallestExtent && box.height >= smallestExtent
            && box.x >= -limit && box.y >= -limit && box.maxX <= limit && box.maxY <= limit
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

    private static func cells(from low: Double, to high: Double, side: Double) -> ClosedRange<Int> {
        let first = cell(at: low, side: side)
        return first...max(first, cell(at: high, side: side))
    }

    /// The cell of a coordinate, from 0; coordinates beyond the limit are in the outermost cells, NaN in the first cell.
    private static func cell(at coordinate: Double, side: Double) -> Int {
        let inside = coordinate > -limit ? (coordinate < limit ? coordinate : limit) : -limit
        return Int(((inside + limit) / side).rounded(.down))
    }

    /// Level, row and column of a box, from the most significant bits down. Sides are at most twice the limit, so that
    /// levels are below 26 and cells below 2²⁸.
    private static func key(of box: PixelRect) -> UInt64 {
        let level = max(lowestLevel, Int(max(box.width, box.height).exponent) + 1)
        let side = Double(UInt64(1) << UInt64(level))
        return UInt64(level) << 56 | UInt64(cell(at: box.midY, side: side)) << 28
            | UInt64(cell(at: box.midX, side: side))
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
