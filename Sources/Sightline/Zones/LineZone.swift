/// Counts the objects that cross a line, in either direction.
///
/// An object crosses when its anchor point, followed from one frame in which the detector saw it to the next, passes
/// through the line between its two ends. Each identity counts once in each direction, however often it goes to and
/// fro, so that boxes that tremble on the line do not run up the count. Results carry confirmed objects alone, so
/// what was seen only briefly is never counted.
///
/// ```swift
/// var gate = LineZone(from: PixelPoint(x: 0, y: 400), to: PixelPoint(x: 1280, y: 400))
/// for crossing in gate.update(with: result) { print(crossing.id, crossing.direction) }
/// print(gate.totalIn, gate.totalOut)
/// ```
public struct LineZone: Sendable {
    /// A way to cross the line.
    public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        /// To the right-hand side, as the picture is seen, of one who walks from the line's start to its end: downwards
        /// over a line that is drawn from left to right.
        case inward = "in"
        /// To the left-hand side.
        case outward = "out"
    }

    /// An object that crossed the line.
    public struct Crossing: Sendable, Hashable, Codable {
        /// Which object.
        public var id: Int
        /// Its most confident label at that time; empty if it has none.
        public var label: String
        /// Which way it went.
        public var direction: Direction
        /// The timestamp of the frame in which it was first seen beyond the line.
        public var time: Duration
    }

    /// How many objects crossed in either direction.
    public struct Count: Sendable, Hashable, Codable {
        /// Objects that crossed inwards.
        public var inward = 0
        /// Objects that crossed outwards.
        public var outward = 0
    }

    /// Where the line starts.
    public let start: PixelPoint
    /// Where the line ends.
    public let end: PixelPoint
    /// The point of a box that has to cross.
    public let anchor: BoxAnchor
    /// How long an object that is not seen is remembered.
    public let memory: Duration
    /// The counts by label; objects without labels are under the empty name.
    public private(set) var counts: [String: Count] = [:]
    private var passers: [Int: Passer] = [:]

    /// A line between two points.
    ///
    /// - Parameters:
    ///   - start: where the line starts.
    ///   - end: where it ends; a line that ends where it starts counts nothing.
    ///   - anchor: the point of a box that has to cross.
    ///   - memory: how long an object that is not seen is remembered, no shorter than the tracker's memory, or else an
    ///     object that returns may count twice.
    public init(
        from start: PixelPoint,
        to end: PixelPoint,
        anchor: BoxAnchor = .bottomCenter,
        memory: Duration = .seconds(10)
    ) {
        self.start = start
        self.end = end
        self.anchor = anchor
        self.memory = memory
    }

    /// How many objects crossed inwards.
    public var totalIn: Int { counts.values.reduce(0) { $0 + $1.inward } }
    /// How many objects crossed outwards.
    public var totalOut: Int { counts.values.reduce(0) { $0 + $1.outward } }

    /// Takes in the next result of the stream and returns who crossed, in the order of their identities.
    ///
    /// Costs a few operations per object. Boxes that the tracker carried on are not looked at, for they may be wrong.
    @discardableResult
    public mutating func update(with result: StreamResult) -> [Crossing] {
        var crossings: [Crossing] = []
        for object in result.objects where object.isDetected {
            let point = anchor.point(of: object.frame)
            let place = side(of: point)
            guard var passer = passers[object.id] else {
                passers[object.id] = Passer(point: point, side: place, seen: result.timestamp)
                continue
            }
            passer.seen = result.timestamp
            // A point on the line is on neither side: where it came from still counts.
            if place != 0 || passer.side == 0 {
                if let direction = direction(from: passer, to: point, side: place),
                    passer.crossed.insert(direction).inserted
                {
                    let label = object.labels.first?.text ?? ""
                    switch direction {
                    case .inward: counts[label, default: Count()].inward += 1
                    case .outward: counts[label, default: Count()].outward += 1
                    }
                    crossings.append(
                        Crossing(id: object.id, label: label, direction: direction, time: result.timestamp)
                    )
                }
                passer.point = point
                passer.side = place
            }
            passers[object.id] = passer
        }
        passers = passers.filter { $0.value.seen.isWithin(memory, of: result.timestamp) }
        return crossings
    }

    /// Which side of the endless line a point is on: 1 right-hand, −1 left-hand, 0 on it (or not a number).
    private func side(of point: PixelPoint) -> Int {
        Self.turn(start, end, point)
    }

    private func direction(from passer: Passer, to point: PixelPoint, side: Int) -> Direction? {
        guard passer.side != 0, side != 0, passer.side != side else { return nil }
        // The two ends of the line must lie on different sides of the path, or on it.
        guard Self.turn(passer.point, point, start) * Self.turn(passer.point, point, end) <= 0 else { return nil }
        return side > 0 ? .inward : .outward
    }

    private static func turn(_ a: PixelPoint, _ b: PixelPoint, _ c: PixelPoint) -> Int {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
        return area > 0 ? 1 : area < 0 ? -1 : 0
    }

    /// An object near the line or far from it, as it was seen last.
    private struct Passer: Sendable {
        var point: PixelPoint
        var side: Int
        var seen: Duration
        var crossed: Set<Direction> = []
    }
}
