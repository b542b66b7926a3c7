/// Counts the objects that cross a line, in either direction.
///
/// An object crosses when its anchor point passes through the line between two frames in which the detector saw the object.
/// Each identity counts once in each direction, however often the object goes back and forth, so a box that trembles on the
/// line counts once. Objects without an identity do not count.
///
/// ```swift
/// var gate = LineZone(from: PixelPoint(x: 0, y: 400), to: PixelPoint(x: 1280, y: 400))
/// for crossing in gate.update(with: result.objects, at: result.timestamp) { print(crossing.id, crossing.direction) }
/// print(gate.totalIn, gate.totalOut)
/// ```
public struct LineZone: Sendable {
    /// The direction in which an object crosses the line.
    public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        /// To the right of the vector from start to end, as the picture is seen: downward across a line that runs from left to
        /// right.
        case inward = "in"
        /// To the left of the vector from start to end.
        case outward = "out"
    }

    /// An object that crossed the line.
    public struct Crossing: Sendable, Hashable, Codable {
        /// The object's identity.
        public var id: Int
        /// The object's most confident label at that time; empty if it has no label.
        public var label: String
        /// The direction in which the object crossed.
        public var direction: Direction
        /// The time of the frame in which the object was first seen beyond the line.
        public var time: Duration
    }

    /// How many objects crossed in either direction.
    public struct Count: Sendable, Hashable, Codable {
        /// Objects that crossed inwards.
        public var inward = 0
        /// Objects that crossed outwards.
        public var outward = 0

        /// Creates counts.
        public init(inward: Int = 0, outward: Int = 0) {
            self.inward = inward
            self.outward = outward
        }
    }

    /// Where the line starts.
    public let start: PixelPoint
    /// Where the line ends.
    public let end: PixelPoint
    /// The point of a box that has to cross.
    public let anchor: BoxAnchor
    /// How long the line remembers an object that is out of sight.
    public let memory: Duration
    /// The counts by label; objects without labels count under the empty string.
    public private(set) var counts: [String: Count] = [:]
    private var sightings: [Int: Sighting] = [:]

    /// Creates a line between two points.
    ///
    /// - Parameters:
    ///   - start: where the line starts.
    ///   - end: where the line ends; a line of no length counts no objects.
    ///   - anchor: the point of a box that has to cross.
    ///   - memory: how long the line remembers an object that is out of sight. With a shorter memory than the tracker's, an
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

    /// Counts the objects of the next frame and returns the crossings, in the order of the objects.
    ///
    /// Costs a few operations per object. Boxes that the tracker carried on do not count, since they may be wrong.
    ///
    /// - Parameters:
    ///   - objects: the objects of the next frame, of any tracker.
    ///   - time: when the frame is shown.
    @discardableResult
    public mutating func update(with objects: [DetectedObject], at time: Duration) -> [Crossing] {
        var crossings: [Crossing] = []
        for object in objects {
            guard let track = object.track, track.isDetected, let id = track.id else { continue }
            let point = anchor.point(of: object.frame)
            let place = side(of: point)
            guard var last = sightings[id] else {
                sightings[id] = Sighting(point: point, side: place, time: time)
                continue
            }
            last.time = time
            // A point on the line is on neither side: the side from which it came still counts.
            if place != 0 || last.side == 0 {
                if let direction = direction(from: last, to: point, side: place),
                    last.crossed.insert(direction).inserted
                {
                    let label = object.labels.first?.text ?? ""
                    switch direction {
                    case .inward: counts[label, default: Count()].inward += 1
                    case .outward: counts[label, default: Count()].outward += 1
                    }
                    crossings.append(Crossing(id: id, label: label, direction: direction, time: time))
                }
                last.point = point
                last.side = place
            }
            sightings[id] = last
        }
        sightings = sightings.filter { $0.value.time.isWithin(memory, of: time) }
        return crossings
    }

    /// The side of the endless line on which a point lies: 1 right, −1 left, 0 on the line (or not a number).
    private func side(of point: PixelPoint) -> Int {
        Self.turn(start, end, point)
    }

    private func direction(from last: Sighting, to point: PixelPoint, side: Int) -> Direction? {
        guard last.side != 0, side != 0, last.side != side else { return nil }
        // The two ends of the line must lie on different sides of the path, or on it.
        guard Self.turn(last.point, point, start) * Self.turn(last.point, point, end) <= 0 else { return nil }
        return side > 0 ? .inward : .outward
    }

    private static func turn(_ a: PixelPoint, _ b: PixelPoint, _ c: PixelPoint) -> Int {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
        return area > 0 ? 1 : area < 0 ? -1 : 0
    }

    /// An object as it was seen last, near the line or far from it.
    private struct Sighting: Sendable {
        var point: PixelPoint
        var side: Int
        var time: Duration
        var crossed: Set<Direction> = []
    }
}
