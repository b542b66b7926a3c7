import Foundation

/// Counts the objects that cross a line, in either direction.
///
/// An object crosses when its anchor point passes through the line between two frames in which the detector saw the object, and
/// the next sighting is beyond the line, too: a box that flickers across the line for one frame does not count. Nor does a box that
/// shakes on the line: the point is on neither side as long as it is nearer to the line than 5 % of the size of its box, and than the
/// extent of its shake. The way begins where the object was seen first, before its track was confirmed. With a
/// confirmation time, an object counts when it has been beyond the line for that long. Each identity counts once in each direction, however often the object goes back and forth. Objects without an identity do not count.
///
/// ```swift
/// var gate = LineZone(from: PixelPoint(x: 0, y: 400), to: PixelPoint(x: 1280, y: 400))
/// for event in gate.update(with: result) { print(event.id, event.direction) }
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

    /// The number of objects that crossed in either direction.
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

    /// The name of the line in events.
    public let name: String
    /// Where the line starts.
    public let start: PixelPoint
    /// Where the line ends.
    public let end: PixelPoint
    /// The point of an object that has to cross.
    public let anchor: BoxAnchor
    /// The time for which an object has to be seen beyond the line before it counts.
    public let confirmationTime: Duration
    /// The counts by label; objects without labels count under `object`.
    public private(set) var counts: [String: Count] = [:]
    /// The ways of the objects that can come back.
    private var ways: [Int: ObjectPath] = [:]
    /// The time of the first frame.
    private var began: Duration?

    /// The way of an object that can come back.
    private struct ObjectPath: Sendable {
        /// Nil while the object was seen only at the line.
        var path: ConfirmedPath?
        var shake = EdgeShake()
        /// The directions in which the object has crossed.
        var crossed: Set<Direction> = []
    }

    /// Creates a line between two points.
    ///
    /// - Parameters:
    ///   - start: where the line starts.
    ///   - end: where the line ends; a line of no length counts no objects.
    ///   - name: the name of the line in events.
    ///   - anchor: the point of an object that has to cross.
    ///   - confirmationTime: the time for which an object has to be seen beyond the line before it counts; the next sighting there is
    ///     enough at zero.
    public init(
        from start: PixelPoint,
        to end: PixelPoint,
        name: String = "",
        anchor: BoxAnchor = .bottomCenter,
        confirmationTime: Duration = .zero
    ) {
        self.name = name
        self.start = start
        self.end = end
        self.anchor = anchor
        self.confirmationTime = confirmationTime
    }

    /// The number of objects that crossed inward.
    public var totalIn: Int { counts.values.reduce(0) { $0 + $1.inward } }
    /// The number of objects that crossed outward.
    public var totalOut: Int { counts.values.reduce(0) { $0 + $1.outward } }

    /// Counts the objects of the next frame of a stream and returns the crossings, in the order of the objects.
    @discardableResult
    public mutating func update(with result: StreamResult) -> [LineEvent] {
        update(with: result.objects, at: result.timestamp, ended: result.ended)
    }

    /// Counts the objects of the next frame and returns the crossings, in the order of the objects.
    ///
    /// Costs a few operations per object. Boxes that the tracker carried on do not count, since they may be wrong.
    ///
    /// - Parameters:
    ///   - objects: the objects of the next frame, of any tracker.
    ///   - time: when the frame is shown.
    ///   - ended: identities that cannot come back. The line remembers all others.
    @discardableResult
    public mutating func update(
        with objects: [DetectedObject],
        at time: Duration,
        ended: [Int] = []
    ) -> [LineEvent] {
        for id in ended { ways[id] = nil }
        let began = began ?? time
        self.began = began
        var events: [LineEvent] = []
        for object in objects {
            guard let track = object.track, track.isDetected, let id = track.id else { continue }
            var way = ways[id] ?? ObjectPath()
            if ways[id] == nil, let first = anchor.firstPoint(of: object), track.firstSeen < time,
                track.firstSeen >= began
            {
                _ = go(first.point, first.frame, at: track.firstSeen, &way)
            }
            if let beyond = go(anchor.point(of: object), object.frame, at: time, &way) {
                let direction = beyond.side > 0 ? Direction.inward : .outward
                let event = LineEvent(
                    line: name,
                    direction: direction,
                    id: id,
                    label: object.className,
                    time: beyond.time,
                    isRepeated: !way.crossed.insert(direction).inserted
                )
                count(event)
                events.append(event)
            }
            ways[id] = way
        }
        return events
    }

    /// Follows an object to the place where it was seen.
    ///
    /// - Returns: the first sighting beyond the line, once the crossing is certain.
    private func go(
        _ point: PixelPoint,
        _ frame: PixelRect,
        at time: Duration,
        _ way: inout ObjectPath
    ) -> ConfirmedPath.Sighting? {
        let distance = distance(of: point)
        way.shake.add(distance)
        // A point at the line is on neither side.
        guard abs(distance) > way.shake.margin(of: frame) else { return nil }
        let sighting = ConfirmedPath.Sighting(
            point: point,
            side: distance > 0 ? 1 : -1,
            time: time,
            isClear: way.shake.isClear(distance, of: frame)
        )
        guard var path = way.path else {
            way.path = ConfirmedPath(sighting, confirmationTime: confirmationTime)
            return nil
        }
        defer { way.path = path }
        return path.go(to: sighting, crosses: crosses)?.to
    }

    /// Ends the stream. The counts remain, and another stream with other identities may follow.
    public mutating func finish() { (ways, began) = ([:], nil) }

    private mutating func count(_ event: LineEvent) {
        guard !event.isRepeated else { return }
        switch event.direction {
        case .inward: counts[event.label, default: Count()].inward += 1
        case .outward: counts[event.label, default: Count()].outward += 1
        }
    }

    /// The distance of a point from the endless line, positive to its right.
    private func distance(of point: PixelPoint) -> Double {
        Self.area(start, end, point) / hypot(end.x - start.x, end.y - start.y)
    }

    /// Whether the way between two sightings leads through the line: each has its ends on both sides of the other, or on it.
    private func crosses(_ from: ConfirmedPath.Sighting, _ to: ConfirmedPath.Sighting) -> Bool {
        from.side != to.side
            && Self.turn(from.point, to.point, start) * Self.turn(from.point, to.point, end) <= 0
    }

    /// The side of the endless line through `a` and `b` on which `c` lies: 1 right, −1 left, 0 on the line (or not a number).
    private static func turn(_ a: PixelPoint, _ b: PixelPoint, _ c: PixelPoint) -> Int {
        let area = area(a, b, c)
        return area > 0 ? 1 : area < 0 ? -1 : 0
    }

    /// Twice the area of a triangle; positive if `c` lies to the right of the way from `a` to `b`.
    private static func area(_ a: PixelPoint, _ b: PixelPoint, _ c: PixelPoint) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
}
