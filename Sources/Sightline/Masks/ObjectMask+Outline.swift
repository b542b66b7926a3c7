import SightlineImages

extension ObjectMask {
    /// The outlines of the object, as programs that know no runs want them: a polygon for each connected part. A part with holes has them
    /// in its polygon, joined by lines that lead there and back.
    ///
    /// A pixel belongs to the object if its center is inside an odd number of times, so that the polygons of the default detail, filled
    /// again, give this mask exactly. Parts that touch at corners alone are separate.
    ///
    /// - Parameter detail: the number of corners.
    public func outlines(_ detail: OutlineDetail = .smooth) -> [[PixelPoint]] {
        var loops = OutlineTracer(self).loops()
        if detail == .smooth { loops = loops.map { OutlineTracer.smoothed($0) } }
        return OutlineTracer.joined(loops).map { $0.map { PixelPoint(x: $0.x, y: $0.y) } }
    }

    /// The outlines of the object as one polygon, whose parts are joined by lines that lead there and back; empty for an empty mask.
    ///
    /// - Parameter detail: the number of corners.
    public func outline(_ detail: OutlineDetail = .smooth) -> [PixelPoint] {
        let parts = outlines(detail).map { $0.map { SIMD2($0.x, $0.y) } }
        guard var outline = parts.first else { return [] }
        for part in parts.dropFirst() { outline = OutlineTracer.bridged(outline, to: part) }
        return outline.map { PixelPoint(x: $0.x, y: $0.y) }
    }

    /// The detail of ``outlines(_:)``.
    public enum OutlineDetail: Sendable, Hashable {
        /// Along the edges of pixels. Every reader that fills by the centers or middles of pixels, pycocotools included, gives the mask
        /// exactly.
        case pixels
        /// Straight lines between the centers of pixels, with fewer corners, which people can move. Filled by the centers of pixels, they
        /// give the mask exactly; pycocotools, which rounds corners to fifths of a pixel, may differ in a few pixels of the edge.
        case smooth
    }
}

/// Follows the edges between the pixels inside and outside a mask.
struct OutlineTracer {
    /// A closed line, without the first corner at its end.
    typealias Loop = [SIMD2<Double>]

    /// The largest distance of a smooth line from the middle between two pixels, whose centers are 0.5 away.
    private static let tolerance = 0.45

    private let mask: ObjectMask
    /// Whether a pixel is inside, row by row, with a pixel more on each side.
    private var pixels: [Bool]
    private let columns: Int

    init(_ mask: ObjectMask) {
        self.mask = mask
        columns = mask.width + 2
        pixels = [Bool](repeating: false, count: columns * (mask.height + 2))
        for span in mask.spans {
            let start = (span.y - mask.y + 1) * columns + 1 - mask.x
            for column in span.columns { pixels[start + column] = true }
        }
    }

    /// The directions along the edges of pixels: right, down, left, up.
    private static let directions = [(1, 0), (0, 1), (-1, 0), (0, -1)]

    /// The corners of the edges around each part and each hole, with the inside at the right hand, in the order of their topmost edges.
    func loops() -> [Loop] {
        // Each loop has an edge that leads right above its topmost pixels, or below a hole's: these are remembered by the pixel below.
        var seen = [Bool](repeating: false, count: pixels.count)
        var loops: [Loop] = []
        for start in pixels.indices where start >= columns && pixels[start] && !pixels[start - columns] && !seen[start]
        {
            loops.append(loop(from: start, &seen))
        }
        return loops
    }

    /// The loop that begins above a pixel and leads right.
    private func loop(from start: Int, _ seen: inout [Bool]) -> Loop {
        var corners: Loop = []
        // The corner of the grid up and left of a pixel has the pixel's number.
        var (corner, direction) = (start, 0)
        repeat {
            if direction == 0 { seen[corner] = true }
            let (x, y) = Self.directions[direction]
            corner += x + y * columns
            let next = turn(at: corner, direction)
            if next != direction {
                corners.append(
                    SIMD2(Double(corner % columns - 1 + mask.x), Double(corner / columns - 1 + mask.y))
                )
            }
            direction = next
        } while corner != start || direction != 0
        return corners
    }

    /// The direction after a corner: to the right where possible, so that parts that touch at a corner stay separate.
    private func turn(at corner: Int, _ direction: Int) -> Int {
        // The pixels ahead, at the left and the right hand.
        let (upLeft, up, left, here) = (corner - columns - 1, corner - columns, corner - 1, corner)
        let (ahead, right) =
            switch direction {
            case 0: (up, here)
            case 1: (here, left)
            case 2: (left, upLeft)
            default: (upLeft, up)
            }
        if !pixels[right] { return (direction + 1) % 4 }
        return pixels[ahead] ? (direction + 3) % 4 : direction
    }

    /// The middle of an edge between a pixel inside and a pixel outside.
    private struct Gate {
        let middle: SIMD2<Double>
        /// Whether the pixels lie side by side, so that the edge is upright.
        let isUpright: Bool
    }

    /// A loop through the middles of the edges of pixels, without corners that are not needed.
    ///
    /// A line between two middles may replace those between if it passes between the same centers of pixels, so that none changes its side.
    static func smoothed(_ loop: Loop) -> Loop {
        var gates: [Gate] = []
        for (index, corner) in loop.enumerated() {
            let next = loop[(index + 1) % loop.count]
            let length = max(abs(next.x - corner.x), abs(next.y - corner.y))
            let step = (next - corner) / length
            for number in 0..<Int(length) {
                gates.append(Gate(middle: corner + step * (Double(number) + 0.5), isUpright: step.x == 0))
            }
        }
        guard gates.count > 4, let first = gates.first else { return gates.map(\.middle) }
        // A closed line is two lines between two corners that are far apart.
        let far =
            gates.indices.max {
                squared(gates[$0].middle - first.middle) < squared(gates[$1].middle - first.middle)
            } ?? 0
        return simplified(gates[0...far]).dropLast() + simplified(gates[far...] + [first]).dropLast()
    }

    private static func squared(_ vector: SIMD2<Double>) -> Double { vector.x * vector.x + vector.y * vector.y }

    /// A line with fewer points that passes between the same centers of pixels: where a line between two points leaves the way between
    /// these, it is divided where it is farthest off (after D. Douglas and T. Peucker, 1973).
    private static func simplified(_ gates: ArraySlice<Gate>) -> Loop {
        let gates = Array(gates)
        guard gates.count > 2 else { return gates.map(\.middle) }
        var isKept = [Bool](repeating: false, count: gates.count)
        (isKept[0], isKept[gates.count - 1]) = (true, true)
        var parts = [(0, gates.count - 1)]
        while let (start, end) = parts.popLast() {
            var (farthest, distance) = (start, tolerance)
            for index in start + 1..<max(end, start + 1) {
                let found = offset(of: gates[index], from: gates[start].middle, gates[end].middle)
                if found > distance { (farthest, distance) = (index, found) }
            }
            guard farthest > start else { continue }
            isKept[farthest] = true
            parts += [(start, farthest), (farthest, end)]
        }
        return gates.indices.filter { isKept[$0] }.map { gates[$0].middle }
    }

    /// The distance from a gate's middle at which a line passes between its two pixels; more than a million where it does not.
    private static func offset(of gate: Gate, from start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
        let (way, to) = (end - start, gate.middle - start)
        let (length, passed) = gate.isUpright ? (way.y, to.y) : (way.x, to.x)
        let share = length == 0 ? -1 : passed / length
        guard (0...1).contains(share) else { return 1e6 + squared(to) + squared(end - gate.middle) }
        return gate.isUpright ? abs(to.x - way.x * share) : abs(to.y - way.y * share)
    }

    /// The loops of parts, with those of their holes in them.
    static func joined(_ loops: [Loop]) -> [Loop] {
        let areas = loops.map(area)
        let parts = loops.indices.filter { areas[$0] > 0 }
        var result = parts.map { loops[$0] }
        for hole in loops.indices where areas[hole] < 0 {
            // The smallest part around the hole.
            let around = parts.indices.filter { contains(loops[parts[$0]], loops[hole][0]) }
            guard let part = around.min(by: { areas[parts[$0]] < areas[parts[$1]] }) else { continue }
            result[part] = bridged(result[part], to: loops[hole])
        }
        return result
    }

    /// A loop, with another that a line leads to and back from, where both are near.
    static func bridged(_ loop: Loop, to other: Loop) -> Loop {
        var best = (loop: 0, other: 0, distance: Double.infinity)
        // Every corner of a long line with every other would take too long.
        let step = max(1, loop.count * other.count / 1_000_000)
        for index in stride(from: 0, to: other.count, by: step) {
            for place in loop.indices {
                let distance = squared(loop[place] - other[index])
                if distance < best.distance { best = (place, index, distance) }
            }
        }
        return Array(loop[...best.loop]) + other[best.other...] + other[...best.other] + loop[best.loop...]
    }

    /// Twice the area that a loop encloses, negative for holes.
    private static func area(_ loop: Loop) -> Double {
        loop.indices.reduce(0) { sum, index in
            let (corner, next) = (loop[index], loop[(index + 1) % loop.count])
            return sum + corner.x * next.y - next.x * corner.y
        }
    }

    /// Whether a point is inside a loop.
    private static func contains(_ loop: Loop, _ point: SIMD2<Double>) -> Bool {
        // Beside the lines of the grid and the middles between them.
        let (x, y) = (point.x + 0.125, point.y + 0.0625)
        var isInside = false
        for index in loop.indices {
            let (start, end) = (loop[index], loop[(index + 1) % loop.count])
            guard (start.y > y) != (end.y > y) else { continue }
            if x < start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x) { isInside.toggle() }
        }
        return isInside
    }
}
