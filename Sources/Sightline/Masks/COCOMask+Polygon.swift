import SightlineImages

/// Polygons become the pixels that pycocotools gives them, so that figures are equal: edges are walked in fifths of a pixel, and the middle
/// of each column decides where it changes. Source: `rleFrPoly` of `maskApi.c` in pycocotools 2.0.11 (P. Dollár and T.-Y. Lin, 2015).
extension COCOMask {
    /// A point on an edge, in fifths of a pixel.
    private struct Step {
        var x: Int
        var y: Int
    }

    /// The number of steps in a pixel.
    private static let scale = 5.0
    /// The farthest coordinate from the picture, in pixels.
    private static let farthest = 1e6

    /// Fills a polygon.
    ///
    /// - Parameters:
    ///   - polygon: the x and y of each corner in turn, in pixels.
    ///   - size: the size of the picture.
    /// - Returns: nil if there are no corners, or if these are not finite or far outside the picture. Fewer than three enclose nothing.
    package init?(polygon: [Double], size: PixelSize) {
        guard polygon.count >= 2, polygon.count.isMultiple(of: 2), size.width > 0, size.height > 0,
            polygon.allSatisfy({ $0.isFinite && abs($0) <= Self.farthest })
        else { return nil }
        let corners = stride(from: 0, to: polygon.count, by: 2).map { index in
            Step(x: Int(Self.scale * polygon[index] + 0.5), y: Int(Self.scale * polygon[index + 1] + 0.5))
        }
        var places: [Int] = []
        var last: Step?
        for (index, start) in corners.enumerated() {
            Self.walk(from: start, to: corners[(index + 1) % corners.count]) { step in
                if let last, step.x != last.x, let place = Self.place(between: last, step, in: size) {
                    places.append(place)
                }
                last = step
            }
        }
        places.sort()
        // Two changes at one place are none.
        var (counts, end) = ([Int](), 0)
        var index = 0
        while index < places.count {
            let isPair = index + 1 < places.count && places[index + 1] == places[index]
            guard !isPair else {
                index += 2
                continue
            }
            counts.append(places[index] - end)
            end = places[index]
            index += 1
        }
        self.init(size: size, counts: counts + [size.width * size.height - end])
    }

    /// Visits the points of an edge, with its ends.
    private static func walk(from start: Step, to end: Step, _ visit: (Step) -> Void) {
        let (width, height) = (abs(end.x - start.x), abs(end.y - start.y))
        let isFlat = width >= height
        let isTurned = isFlat ? start.x > end.x : start.y > end.y
        let (first, second) = isTurned ? (end, start) : (start, end)
        let length = max(width, height)
        guard length > 0 else { return visit(start) }
        let slope = Double(isFlat ? second.y - first.y : second.x - first.x) / Double(length)
        for number in 0...length {
            let step = isTurned ? length - number : number
            if isFlat {
                visit(Step(x: first.x + step, y: Int(Double(first.y) + slope * Double(step) + 0.5)))
            } else {
                visit(Step(x: Int(Double(first.x) + slope * Double(step) + 0.5), y: first.y + step))
            }
        }
    }

    /// The pixel, as column × height + row, at which a column changes between two points; nil where they pass no middle of a column.
    private static func place(between first: Step, _ second: Step, in size: PixelSize) -> Int? {
        let x = (Double(second.x < first.x ? second.x : second.x - 1) + 0.5) / scale - 0.5
        guard x == x.rounded(.down), x >= 0, x <= Double(size.width - 1) else { return nil }
        let y = (Double(min(first.y, second.y)) + 0.5) / scale - 0.5
        return Int(x) * size.height + Int(min(max(y, 0), Double(size.height)).rounded(.up))
    }
}
