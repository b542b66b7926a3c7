/// Keeps account of the objects inside a polygon: which objects are inside, for how long, and how many entered.
///
/// An object is inside when its anchor point is inside. A hidden object stays an occupant for as long as ``patience`` lasts.
/// Each identity counts once among the objects that entered; objects without an identity do not count. In single pictures,
/// `contains(_:)` tells which objects are inside.
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
    /// How long an occupant may be hidden before it counts as gone.
    public let patience: Duration
    /// How long the zone remembers an object that is out of sight.
    public let memory: Duration
    /// The number of objects that entered, by label; objects without labels count under the empty string.
    public private(set) var entered: [String: Int] = [:]
    private var visits: [Int: Visit] = [:]
    /// The identities that were counted, and when they were seen last.
    private var counted: [Int: Duration] = [:]

    /// Creates a zone by its corners; a zone with fewer than three corners contains nothing.
    ///
    /// - Parameters:
    ///   - vertices: the corners in order, clockwise or not. Where the outline crosses itself, regions that it
    ///     surrounds an even number of times are outside.
    ///   - anchor: the point of a box that has to be inside.
    ///   - patience: how long an occupant may be hidden before it counts as gone.
    ///   - memory: how long the zone remembers an object that is out of sight. With a shorter memory than the tracker's, an
    ///     object that returns may count twice.
    public init(
        _ vertices: [PixelPoint],
        anchor: BoxAnchor = .bottomCenter,
        patience: Duration = .seconds(1),
        memory: Duration = .seconds(10)
    ) {
        self.vertices = vertices
        self.anchor = anchor
        self.patience = patience
        self.memory = max(memory, patience)
    }

    /// The visits of the objects that are inside now, in the order of their identities.
    public var occupants: [Visit] { visits.values.sorted { $0.id < $1.id } }
    /// The number of objects that entered.
    public var totalEntered: Int { entered.values.reduce(0, +) }

    /// Counts the objects of the next frame and returns the visits that ended, in the order of the identities.
    ///
    /// Costs a few operations per object and corner.
    ///
    /// - Parameters:
    ///   - objects: the objects of the next frame, of any tracker.
    ///   - time: when the frame is shown.
    @discardableResult
    public mutating func update(with objects: [DetectedObject], at time: Duration) -> [Visit] {
        var ended: [Visit] = []
        for object in objects {
            guard let id = object.id else { continue }
            if counted[id] != nil { counted[id] = time }
            if contains(object) {
                let label = object.labels.first?.text ?? ""
                visits[id, default: Visit(id: id, label: label, entered: time, lastInside: time)].lastInside = time
                visits[id]?.label = label
                if counted.updateValue(time, forKey: id) == nil { entered[label, default: 0] += 1 }
            } else if let visit = visits.removeValue(forKey: id) {
                ended.append(visit)
            }
        }
        for visit in visits.values where !visit.lastInside.isWithin(patience, of: time) {
            visits[visit.id] = nil
            ended.append(visit)
        }
        counted = counted.filter { $0.value.isWithin(memory, of: time) }
        return ended.sorted { $0.id < $1.id }
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
