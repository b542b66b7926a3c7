/// Keeps account of the objects inside a polygon: which objects are inside, for how long, and how many came and went.
///
/// An object is inside when its anchor point is inside. It comes or goes when two consecutive sightings agree: a box that
/// flickers over the edge for one frame does not count, and an object that jumps over the zone between two frames does. Nor does a box
/// count that trembles on the edge: a sighting says nothing as long as the point is nearer to the edge than 5 % of the size of its box.
/// With a confirmation time, an object comes or goes when it has been beyond the edge for that long. A hidden object stays inside until its identity has ended.
///
/// Each identity counts once among the objects that entered and once among those that left, however often it comes and goes. An
/// object that is inside when it is first seen began inside, so no more objects left than entered and began inside. Objects without
/// an identity do not count. In single pictures, `contains(_:)` shows which objects are inside.
///
/// ```swift
/// var yard = PolygonZone(corners, dwellLimit: .seconds(60))
/// for event in yard.update(with: result) { print(event.id, event.kind, event.dwell) }
/// print(yard.occupants.count, yard.totalEntered)
/// ```
public struct PolygonZone: Sendable {
    /// An object's stay in the zone.
    public struct Visit: Sendable, Hashable, Codable {
        /// The object's identity.
        public var id: Int
        /// The object's most confident label when it was last seen inside; `object` if it has no label.
        public var label: String
        /// The time of the first frame in which the object was inside.
        public var entered: Duration
        /// The time of the last frame in which the object was inside.
        public var lastInside: Duration

        /// The dwell time: from the first frame inside to the last.
        public var dwell: Duration { lastInside.since(entered) }
    }

    /// The name of the zone in events.
    public let name: String
    /// The corners, in order; the last is joined to the first.
    public let vertices: [PixelPoint]
    /// The point of an object that has to be inside.
    public let anchor: BoxAnchor
    /// The time for which an occupant may be hidden before it counts as gone; nil until its identity has ended.
    public let gracePeriod: Duration?
    /// The dwell time after which an occupant has an event; nil for no such events.
    public let dwellLimit: Duration?
    /// The time for which an object has to be seen beyond the edge before it comes or goes.
    public let confirmationTime: Duration
    /// The number of objects that were outside and came in, by label; objects without labels count under `object`.
    public private(set) var entered: [String: Int] = [:]
    /// The number of objects that were inside when they were first seen, by label.
    public private(set) var beganInside: [String: Int] = [:]
    /// The number of objects that were inside and went out.
    public private(set) var totalLeft = 0
    /// The number of objects that were inside when they were last seen.
    public private(set) var totalLastInside = 0
    /// The number of objects that were inside at some time.
    public private(set) var totalVisitors = 0
    private var ways: [Int: ObjectPath] = [:]
    /// The time of the first frame.
    private var began: Duration?

    /// The way of an object that can come back.
    private struct ObjectPath: Sendable {
        var path: ConfirmedPath
        var shake = EdgeShake()
        /// The time of the first of the last sightings, all of which were inside.
        var insideSince: Duration?
        /// The stay that lasts.
        var visit: Visit?
        var hasPassedLimit = false
        var done: Set<ZoneEvent.Kind> = []
    }

    /// Creates a zone by its corners; a zone with fewer than three corners contains nothing.
    ///
    /// - Parameters:
    ///   - vertices: the corners in order, clockwise or not. Where the outline crosses itself, regions that it
    ///     surrounds an even number of times are outside.
    ///   - name: the name of the zone in events.
    ///   - anchor: the point of an object that has to be inside.
    ///   - gracePeriod: the time for which an occupant may be hidden before it counts as gone; nil until its identity has ended.
    ///   - dwellLimit: the dwell time after which an occupant has an event; nil for no such events.
    ///   - confirmationTime: the time for which an object has to be seen beyond the edge before it counts; the next sighting there is
    ///     enough at zero.
    public init(
        _ vertices: [PixelPoint],
        name: String = "",
        anchor: BoxAnchor = .bottomCenter,
        gracePeriod: Duration? = nil,
        dwellLimit: Duration? = nil,
        confirmationTime: Duration = .zero
    ) {
        self.vertices = vertices
        self.name = name
        self.anchor = anchor
        self.gracePeriod = gracePeriod
        self.dwellLimit = dwellLimit
        self.confirmationTime = confirmationTime
    }

    /// The visits of the objects that are inside now, in the order of their identities.
    public var occupants: [Visit] { ways.values.compactMap(\.visit).sorted { $0.id < $1.id } }
    /// The number of objects that entered.
    public var totalEntered: Int { entered.values.reduce(0, +) }
    /// The number of objects that were inside when they were first seen.
    public var totalBeganInside: Int { beganInside.values.reduce(0, +) }

    /// Counts the objects of the next frame of a stream and returns its events, in the order of the identities.
    @discardableResult
    public mutating func update(with result: StreamResult) -> [ZoneEvent] {
        update(with: result.objects, at: result.timestamp, ended: result.ended)
    }

    /// Counts the objects of the next frame and returns its events, in the order of the identities.
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
    ) -> [ZoneEvent] {
        let began = began ?? time
        self.began = began
        var events: [ZoneEvent] = []
        for id in ended {
            end(id, &events)
            ways[id] = nil
        }
        for object in objects {
            guard let id = object.id else { continue }
            if let track = object.track, track.isDetected {
                if ways[id] == nil, let first = anchor.firstPoint(of: object), track.firstSeen < time,
                    track.firstSeen >= began
                {
                    sight(first.point, first.frame, of: object, id, at: track.firstSeen, &events)
                }
                sight(anchor.point(of: object), object.frame, of: object, id, at: time, &events)
            }
            stay(object, id, at: time, &events)
        }
        if let gracePeriod {
            for (id, way) in ways {
                guard let visit = way.visit, !visit.lastInside.isWithin(gracePeriod, of: time) else { continue }
                end(id, &events)
            }
        }
        // The events of an object are in their order already.
        return events.enumerated().sorted { ($0.element.id, $0.offset) < ($1.element.id, $1.offset) }.map(\.element)
    }

    /// Ends the stream, and returns the events of the objects that were inside when they were last seen. The counts remain, and another
    /// stream with other identities may follow.
    public mutating func finish() -> [ZoneEvent] {
        var events: [ZoneEvent] = []
        for id in ways.keys.sorted() { end(id, &events) }
        (ways, began) = ([:], nil)
        return events
    }

    /// Counts an object that the detector saw in a place.
    private mutating func sight(
        _ point: PixelPoint,
        _ frame: PixelRect,
        of object: DetectedObject,
        _ id: Int,
        at time: Duration,
        _ events: inout [ZoneEvent]
    ) {
        let isInside = contains(point)
        let distance = distanceToEdge(from: point)
        func sighting(_ shake: EdgeShake) -> ConfirmedPath.Sighting {
            let isClear = shake.isClear(distance, of: frame)
            return ConfirmedPath.Sighting(point: point, side: isInside ? 1 : 0, time: time, isClear: isClear)
        }
        guard var way = ways[id] else {
            var way = ObjectPath(path: ConfirmedPath(sighting(EdgeShake()), confirmationTime: confirmationTime))
            way.shake.add(isInside ? distance : -distance)
            way.insideSince = isInside ? time : nil
            ways[id] = way
            if isInside { note(.beganInside, id, object.className, at: time, &events) }
            return
        }
        way.shake.add(isInside ? distance : -distance)
        way.insideSince = isInside ? way.insideSince ?? time : nil
        ways[id] = way
        guard distance > way.shake.margin(of: frame) else { return }
        let crossing = way.path.go(to: sighting(way.shake), crosses: crosses)
        ways[id]?.path = way.path
        guard let (from, to) = crossing else {
            // An occupant that was hidden for longer than the grace period is seen again.
            if isInside, way.path.last.side == 1, way.visit == nil {
                note(.beganInside, id, object.className, at: time, &events)
            }
            return
        }
        // The first frame inside may have been too near to the edge to count alone.
        let entered = to.side == 1 ? min(way.insideSince ?? to.time, to.time) : to.time
        if from.side == 1 {
            if way.visit == nil { note(.beganInside, id, object.className, at: entered, &events) }
        } else {
            note(.entered, id, object.className, at: entered, &events)
        }
        if to.side == 0 { note(.left, id, object.className, at: to.time, &events) }
    }

    /// Continues the stay of an object that is seen, or whose box was carried on.
    private mutating func stay(_ object: DetectedObject, _ id: Int, at time: Duration, _ events: inout [ZoneEvent]) {
        guard let way = ways[id], var visit = way.visit, contains(object) else { return }
        (visit.lastInside, visit.label) = (time, object.className)
        ways[id]?.visit = visit
        guard let dwellLimit, !way.hasPassedLimit, visit.dwell >= dwellLimit else { return }
        ways[id]?.hasPassedLimit = true
        note(.dwellPassed, id, visit.label, at: time, &events)
    }

    /// Ends the stay of an object that is no longer seen.
    private mutating func end(_ id: Int, _ events: inout [ZoneEvent]) {
        guard let visit = ways[id]?.visit else { return }
        note(.endedInside, id, visit.label, at: visit.lastInside, &events)
    }

    /// Adds an event, and with it all that follows from it: the stay and the counts.
    private mutating func note(
        _ kind: ZoneEvent.Kind,
        _ id: Int,
        _ label: String,
        at time: Duration,
        _ events: inout [ZoneEvent]
    ) {
        guard var way = ways[id] else { return }
        let isVisitor = !way.done.isDisjoint(with: [.entered, .beganInside])
        let isRepeated = !way.done.insert(kind).inserted
        let dwell = way.visit?.dwell ?? .zero
        switch kind {
        case .entered, .beganInside:
            way.visit = Visit(id: id, label: label, entered: time, lastInside: time)
            way.hasPassedLimit = false
            if !isVisitor { totalVisitors += 1 }
        case .left, .endedInside:
            way.visit = nil
        case .dwellPassed: break
        }
        ways[id] = way
        switch kind {
        case .entered:
            totalLastInside += 1
            if !isRepeated { entered[label, default: 0] += 1 }
        case .beganInside where !isRepeated:
            totalLastInside += 1
            beganInside[label, default: 0] += 1
        case .left:
            totalLastInside -= 1
            if !isRepeated { totalLeft += 1 }
        case .beganInside, .endedInside, .dwellPassed: break
        }
        events.append(
            ZoneEvent(
                zone: name,
                kind: kind,
                id: id,
                label: label,
                time: time,
                dwell: dwell,
                isRepeated: isRepeated
            )
        )
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

    /// The distance from a point to the nearest edge.
    private func distanceToEdge(from point: PixelPoint) -> Double {
        guard var previous = vertices.last else { return .infinity }
        var least = Double.infinity
        for vertex in vertices {
            least = min(least, point.distance(toLineFrom: previous, to: vertex))
            previous = vertex
        }
        return least
    }

    /// Whether an object is inside, by its anchor point; the object needs no identity.
    public func contains(_ object: DetectedObject) -> Bool { contains(anchor.point(of: object)) }

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
