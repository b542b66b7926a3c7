import SightlineImages

/// The pixels of a picture that show an object.
///
/// A mask covers a rectangle of whole pixels of the upright picture, which contains the object's frame. It is coded in runs: row by row
/// from the top left corner, the number of pixels that are outside the object, then the number of those that are inside, and so on.
public struct ObjectMask: Sendable, Hashable {
    /// The column of the first pixel, counted from the left edge of the upright picture.
    public let x: Int
    /// The row of the first pixel, counted from the top edge of the upright picture.
    public let y: Int
    /// The number of columns.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The lengths of the runs, outside and inside in turn. The first run is outside, and may have no pixels; together they have
    /// `width` × `height` pixels.
    public let runs: [Int]

    /// The largest rectangle of a mask, in pixels.
    static let maximumPixels = 1 << 28

    /// Creates a mask of runs.
    ///
    /// - Parameters:
    ///   - x: the column of the first pixel.
    ///   - y: the row of the first pixel.
    ///   - width: the number of columns.
    ///   - height: the number of rows.
    ///   - runs: the lengths of the runs, outside first.
    /// - Returns: nil if the rectangle has no pixels or more than 2²⁸, or if the runs do not fill it exactly.
    public init?(x: Int, y: Int, width: Int, height: Int, runs: [Int]) {
        guard width > 0, height > 0, width <= Self.maximumPixels / height, abs(x) <= Self.maximumPixels,
            abs(y) <= Self.maximumPixels
        else { return nil }
        var left = width * height
        for run in runs {
            guard run >= 0, run <= left else { return nil }
            left -= run
        }
        guard left == 0 else { return nil }
        (self.x, self.y, self.width, self.height, self.runs) = (x, y, width, height, runs)
    }

    /// Creates a mask of the pixels for which a function returns true.
    ///
    /// - Parameters:
    ///   - x: the column of the first pixel.
    ///   - y: the row of the first pixel.
    ///   - width: the number of columns.
    ///   - height: the number of rows.
    ///   - isInside: returns whether the pixel at a column and a row of the picture shows the object.
    /// - Returns: nil if the rectangle has no pixels or more than 2²⁸.
    public init?(x: Int, y: Int, width: Int, height: Int, isInside: (_ x: Int, _ y: Int) -> Bool) {
        guard width > 0, height > 0, width <= Self.maximumPixels / height else { return nil }
        var runs: [Int] = []
        var (length, isRunInside) = (0, false)
        for row in y..<y + height {
            for column in x..<x + width {
                if isInside(column, row) != isRunInside {
                    runs.append(length)
                    (length, isRunInside) = (0, !isRunInside)
                }
                length += 1
            }
        }
        self.init(x: x, y: y, width: width, height: height, runs: runs + [length])
    }

    /// A part of a row that lies inside the object.
    public struct Span: Sendable, Hashable {
        /// The row, counted from the top edge of the upright picture.
        public let y: Int
        /// The columns, counted from the left edge of the upright picture.
        public let columns: Range<Int>
    }

    /// The parts of rows that lie inside the object, row by row from the top, and from left to right in a row.
    public var spans: [Span] {
        var spans: [Span] = []
        var (place, isInside) = (0, false)
        for run in runs {
            if isInside {
                var start = place
                while start < place + run {
                    let row = start / width
                    let stop = min(place + run, (row + 1) * width)
                    spans.append(Span(y: y + row, columns: x + start - row * width..<x + stop - row * width))
                    start = stop
                }
            }
            place += run
            isInside.toggle()
        }
        return spans
    }

    /// The number of pixels inside the object.
    public var area: Int {
        runs.indices.filter { !$0.isMultiple(of: 2) }.reduce(0) { $0 + runs[$1] }
    }

    /// Whether the pixel at a column and a row of the upright picture shows the object.
    public func contains(x column: Int, y row: Int) -> Bool {
        guard (x..<x + width).contains(column), (y..<y + height).contains(row) else { return false }
        let place = (row - y) * width + column - x
        var (end, isInside) = (0, false)
        for run in runs {
            end += run
            if place < end { return isInside }
            isInside.toggle()
        }
        return false
    }

    /// The rectangle of pixels that the mask covers.
    public var bounds: PixelRect {
        PixelRect(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
    }

    /// The number of pixels inside both objects, divided by the number of those inside one of them, 0…1.
    public func iou(_ other: ObjectMask) -> Double {
        let (mine, others) = (spans, other.spans)
        var (shared, place) = (0, 0)
        for span in mine {
            while place < others.count,
                (others[place].y, others[place].columns.upperBound) <= (span.y, span.columns.lowerBound)
            {
                place += 1
            }
            var next = place
            while next < others.count, others[next].y == span.y,
                others[next].columns.lowerBound < span.columns.upperBound
            {
                shared += others[next].columns.clamped(to: span.columns).count
                next += 1
            }
        }
        let either = area + other.area - shared
        return either > 0 ? Double(shared) / Double(either) : 0
    }

    /// The mask of the same object in the mirror image, in which left and right are exchanged.
    func mirrored(in size: PixelSize) -> ObjectMask? {
        var pixels = [Bool](repeating: false, count: width * height)
        for span in spans {
            for column in span.columns { pixels[(span.y - y) * width + x + width - 1 - column] = true }
        }
        let left = size.width - x - width
        return ObjectMask(x: left, y: y, width: width, height: height) { column, row in
            pixels[(row - y) * width + column - left]
        }
    }

    /// The pixels that are inside one of two objects; nil if the rectangle around both has more than 2²⁸ pixels.
    func union(_ other: ObjectMask) -> ObjectMask? { Self.union([self, other]) }

    /// The pixels that are inside at least one of several objects; nil without objects, and if the rectangle around all has more than 2²⁸
    /// pixels.
    package static func union(_ masks: [ObjectMask]) -> ObjectMask? {
        guard let first = masks.first else { return nil }
        let (left, top) = masks.reduce((first.x, first.y)) { (min($0.0, $1.x), min($0.1, $1.y)) }
        let (right, bottom) = masks.reduce((left, top)) { (max($0.0, $1.x + $1.width), max($0.1, $1.y + $1.height)) }
        let (width, height) = (right - left, bottom - top)
        guard width <= maximumPixels / height else { return nil }
        var pixels = [Bool](repeating: false, count: width * height)
        for span in masks.flatMap(\.spans) {
            for column in span.columns { pixels[(span.y - top) * width + column - left] = true }
        }
        return ObjectMask(x: left, y: top, width: width, height: height) { column, row in
            pixels[(row - top) * width + column - left]
        }
    }
}

extension ObjectMask: Codable {
    private enum CodingKeys: String, CodingKey {
        case x, y, width, height, runs
    }

    /// Decodes the form that `encode(to:)` writes.
    ///
    /// - Throws: `DecodingError`, also if the runs do not fill the rectangle.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let mask = ObjectMask(
            x: try values.decode(Int.self, forKey: .x),
            y: try values.decode(Int.self, forKey: .y),
            width: try values.decode(Int.self, forKey: .width),
            height: try values.decode(Int.self, forKey: .height),
            runs: try values.decode([Int].self, forKey: .runs)
        )
        guard let mask else {
            throw DecodingError.dataCorruptedError(
                forKey: .runs,
                in: values,
                debugDescription: "the runs of a mask do not fill its rectangle of pixels"
            )
        }
        self = mask
    }

    /// Encodes the mask as the command `sightline` prints it: `x`, `y`, `width`, `height` and `runs`.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(x, forKey: .x)
        try values.encode(y, forKey: .y)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
        try values.encode(runs, forKey: .runs)
    }
}
