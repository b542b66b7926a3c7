/// Keeps account of the objects inside a polygon: which objects are inside, for how long, and how many came and went.
///
/// An object is inside when its anchor point is inside. It comes or goes when two sightings after each other say so: a box that
/// flickers over the edge for one frame does not count, and an object that jumps over the zone between two frames does. A hidden
/// object stays an occupant for as long as ``gracePeriod`` lasts.
///
/// Each identity counts once among the objects that entered and once among those that left, however often it comes and goes. An
/// object that is inside when it is first seen began inside, so no more objects left than entered and began inside. Objects without
/// an identity do not count. In single pictures, `contains(_:)` tells which objects are inside.
public struct PolygonZone: Sendable {
    /// An object's stay in the zone.
    public struct Visit: Sendable, Hashable, Codable {
        /// The object's identity.
        public var id: Int
        /// The object's most confident label when it was last seen inside; empty if it has no label.
        public var label: String
        /// The time of the first frame in which the object was inside.
        public var entered: Duration
        /// The time of the last frame in which the object was inside.
        public var lastInside: Duration

        /// The dwell time: from the first frame inside to the last.
        public var dwell: Duration { lastInside.since(entered) }
    }

    /// The corners, in order; the last is joined to the first.
    public let vertices: [PixelPoint]
    /// The point of a box that has to be inside.
    public let anchor: BoxAnchor
    /// The time for which an occupant may be hidden before it counts as gone.
    public let gracePeriod: Duration
    /// The number of objects that were outside and came in, by label; objects without labels count under the empty string.
    public private(set) var entered: [String: Int] = [:]
    /// The number of objects that were inside when they were first seen, by label.
    public private(set) var beganInside: [String: Int] = [:]
    /// The number of objects that were inside and went out.
    public private(set) var totalLeft = 0
    /// The number of objects that were inside when they were last seen.
    public private(set) var totalLastInside = 0
    /// The number of objects that were inside at some time.
    public private(set) var totalVisitors = 0
    private var visits: [Int: Visit] = [:]
    private var ways: [Int: Way] = [:]

    /// The way of an object that can come back.
    private struct Way: Sendable {
        var path: ConfirmedPath
        var hasBeenInside: Bool
        var hasEntered = false
        var hasLeft = false
    }

    /// Creates a zone by its corners; a zone with fewer than three corners contains nothing.
    ///
    /// - Parameters:
    ///   - vertices: the corners in order, clockwise or not. Where the outline crosses itself, regions that it
    ///     surrounds an even number of times are outside.
    ///   - anchor: the point of a box that has to be inside.
    ///   - gracePeriod: the time for which an occupant may be hidden before it counts as gone.
    public init(_ vertices: [PixelPoint], anchor: BoxAnchor = .bottomCenter, gracePeriod: Duration = .seconds(1)) {
        self.vertices = vertices
        self.anchor = anchor
        self.gracePeriod = gracePeriod
    }

    /// The visits of the objects that are inside now, in the order of their identities.
    public var occupants: [Visit] { visits.values.sorted { $0.id < $1.id } }
    /// The number of objects that entered.
    public var totalEntered: Int { entered.values.reduce(0, +) }
    /// The number of objects that were inside when they were first seen.
    public var totalBeganInside: Int { beganInside.values.reduce(0, +) }

    /// Counts the objects of the next frame of a stream and returns the visits that ended, in the order of the identities.
    @discardableResult
    public mutating func update(with result: StreamResult) -> [Visit] {
        update(with: result.objects, at: result.timestamp, ended: result.ended)
    }

    /// Counts the objects of the next frame and returns the visits that ended, in the order of the identities.
    ///
    /// Costs a few operations per object and corner. Boxes that the tracker carried on neither enter nor leave, since they may be
    /// wrong.
    ///
    /// - Parameters:
    ///   - objects: the objects of the next frame, of any tracker.
    ///   - time: when the frame is shown.
    ///   - ended: identities that cannot come back. The zone remembers all others.
    @discardableResult
    public mutating func update(
        with objects: [DetectedObject],
        at time: Duration,
        ended: [Int] = []
    ) -> [Visit] {
        for id in ended { ways[id] = nil }
        var over: [Visit] = []
        for object in objects {
            guard let id = object.id else { continue }
            if object.track?.isDetected == true, let visit = sight(object, id, at: time) { over.append(visit) }
            if visits[id] != nil, contains(object) {
                visits[id]?.lastInside = time
                visits[id]?.label = object.labels.first?.text ?? ""
            }
        }
        for visit in visits.values where !visit.lastInside.isWithin(gracePeriod, of: time) {
            visits[visit.id] = nil
            over.append(visit)
        }
        return over.sorted { $0.id < $1.id }
    }

    /// Counts an object that the detector saw, and returns its visit if that ended.
    private mutating func sight(_ object: DetectedObject, _ id: Int, at time: Duration) -> Visit? {
        let point = anchor.point(of: object.frame)
        let label = object.labels.first?.text ?? ""
        let sighting = ConfirmedPath.Sighting(point: point, side: contains(point) ? 1 : 0, time: time)
        let isInside = { (sighting: ConfirmedPath.Sighting) in sighting.side == 1 }
        func begin(at time: Duration) { visits[id] = Visit(id: id, label: label, entered: time, lastInside: time) }
        guard var way = ways[id] else {
            ways[id] = Way(path: ConfirmedPath(sighting), hasBeenInside: isInside(sighting))
            guard isInside(sighting) else { return nil }
            beganInside[label, default: 0] += 1
            totalVisitors += 1
            totalLastInside += 1
            begin(at: time)
            return nil
        }
        defer { ways[id] = way }
        guard let (from, to) = way.path.go(to: sighting, crosses: crosses) else {
            // An occupant that was hidden for longer than the grace period is seen again.
            if isInside(sighting), isInside(way.path.last), visits[id] == nil { begin(at: time) }
            return nil
        }
        if !way.hasBeenInside { totalVisitors += 1 }
        if !isInside(from), !way.hasEntered { entered[label, default: 0] += 1 }
        if !isInside(to), !way.hasLeft { totalLeft += 1 }
        way.hasBeenInside = true
        way.hasEntered = way.hasEntered || !isInside(from)
        way.hasLeft = way.hasLeft || !isInside(to)
        totalLastInside += (isInside(to) ? 1 : 0) - (isInside(from) ? 1 : 0)
        if isInside(to) { begin(at: to.time) }
        return isInside(to) ? nil : visits.removeValue(forKey: id)
    }

    /// Whether the way between two sightings leads over the edge: into the zone, out of it, or all the way through.
    private func crosses(_ from: ConfirmedPath.Sighting, _ to: ConfirmedPath.Sighting) -> Bool {
        guard from.side == to.side else { return true }
        return from.side == 0 && passes(from: from.point, to: to.point)
    }

    /// Whether the straight way between two points outside leads through the zone.
    private func passes(from start: PixelPoint, to end: PixelPoint) -> Bool {
        guard vertices.count >= 3, var previous = vertices.last else { return false }
        // Where the way meets an edge, as a share of the way. A point between two neighboring places decides, so that a way that
        // only touches a corner does not count.
        var places: [Double] = []
        let (x, y) = (end.x - start.x, end.y - start.y)
        for vertex in vertices {
            let (edgeX, edgeY) = (vertex.x - previous.x, vertex.y - previous.y)
            let (toX, toY) = (previous.x - start.x, previous.y - start.y)
            let area = x * edgeY - y * edgeX
            let place = (toX * edgeY - toY * edgeX) / area
            let placeOnEdge = (toX * y - toY * x) / area
            if (0...1).contains(place), (0...1).contains(placeOnEdge) { places.append(place) }
            previous = vertex
        }
        places.sort()
        return zip(places, places.dropFirst()).contains { first, second in
            let middle = (first + second) / 2
            return contains(PixelPoint(x: start.x + middle * x, y: start.y + middle * y))
        }
    }

    /// Whether an object is inside, by its anchor point; the object needs no identity.
    public func contains(_ object: DetectedObject) -> Bool { contains(anchor.point(of: object.frame)) }

    /// Whether a point is inside, by the number of edges that a ray from it to the right crosses (M. Shimrat, "Algorithm
    /// 112: Position of point relative to polygon", Communications of the ACM 5, 1962).
    public func contains(_ point: PixelPoint) -> Bool {
        guard vertices.count >= 3, var previous = vertices.last else { return false }
        var isInside = false
        for vertex in vertices {
            if (vertex.y > point.y) != (previous.y > point.y) {
                let share = (point.y - vertex.y) / (previous.y - vertex.y)
                if point.x < vertex.x + share * (previous.x - vertex.x) { isInside.toggle() }
            }
            previous = vertex
        }
        return isInside
    }
}
