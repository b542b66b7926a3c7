import Sightline

/// The places where objects of a stream stood, and the time for which they did.
///
/// An object stands on an ellipse at the lower edge of its box, as wide as the box. A place collects the time from each frame in which an
/// object stands on it to the next frame; several objects at a time add up.
public struct HeatMap: Sendable {
    /// The number of columns of cells along the longer side of the picture.
    private static let cellsPerSide = 192
    /// The height of the ellipse as a share of its width: a circle on the ground, seen by a camera that looks down at an angle.
    private static let flatness = 0.4

    /// The side of a cell in pixels.
    public private(set) var cell = 1.0
    /// The number of cells in a row.
    public private(set) var columns = 0
    /// The number of rows of cells.
    public private(set) var rows = 0
    /// The seconds for which objects stood on each cell, row after row.
    public private(set) var seconds: [Float] = []
    private var size: PixelSize?
    private var last: (objects: [PixelRect], time: Duration)?

    /// Creates the map of a stream without frames.
    public init() {}

    /// The longest time on a cell, in seconds.
    public var mostSeconds: Double { Double(seconds.max() ?? 0) }

    /// Adds the next frame. A new size of the frames begins a new map, and so does a time that goes back.
    public mutating func add(_ objects: [DetectedObject], at time: Duration, size: PixelSize) {
        if self.size != size || last.map({ time < $0.time }) ?? false { begin(size) }
        if let last {
            let passed = Float((time - last.time) / .seconds(1))
            for frame in last.objects { add(frame, seconds: passed) }
        }
        last = (objects.map(\.frame), time)
    }

    private mutating func begin(_ size: PixelSize) {
        self.size = size
        cell = max(Double(max(size.width, size.height)) / Double(Self.cellsPerSide), 1)
        columns = Int((Double(size.width) / cell).rounded(.up))
        rows = Int((Double(size.height) / cell).rounded(.up))
        seconds = Array(repeating: 0, count: columns * rows)
        last = nil
    }

    /// Adds time to the cells of the ellipse on which an object stands.
    private mutating func add(_ frame: PixelRect, seconds passed: Float) {
        let (halfWidth, halfHeight) = (max(frame.width / 2, cell), max(frame.width / 2 * Self.flatness, cell))
        let (x, y) = (frame.midX, frame.maxY - halfHeight / 2)
        guard
            let area = PixelRect(x: x - halfWidth, y: y - halfHeight, width: 2 * halfWidth, height: 2 * halfHeight)
                .intersection(PixelRect(x: 0, y: 0, width: Double(columns) * cell, height: Double(rows) * cell))
        else { return }
        for row in Int(area.y / cell)..<min(Int((area.maxY / cell).rounded(.up)), rows) {
            for column in Int(area.x / cell)..<min(Int((area.maxX / cell).rounded(.up)), columns) {
                let across = ((Double(column) + 0.5) * cell - x) / halfWidth
                let down = ((Double(row) + 0.5) * cell - y) / halfHeight
                if across * across + down * down <= 1 { seconds[row * columns + column] += passed }
            }
        }
    }

    /// The seconds at a point of the picture, between the middles of the cells around it.
    func seconds(atX x: Double, y: Double) -> Float {
        let (column, row) = (
            min(max(x / cell - 0.5, 0), Double(columns - 1)), min(max(y / cell - 0.5, 0), Double(rows - 1))
        )
        let (left, top) = (Int(column), Int(row))
        let (right, bottom) = (min(left + 1, columns - 1), min(top + 1, rows - 1))
        let (u, v) = (Float(column - Double(left)), Float(row - Double(top)))
        let upper = seconds[top * columns + left] * (1 - u) + seconds[top * columns + right] * u
        let lower = seconds[bottom * columns + left] * (1 - u) + seconds[bottom * columns + right] * u
        return upper * (1 - v) + lower * v
    }
}
