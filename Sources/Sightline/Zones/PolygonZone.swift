/// Says who is inside a polygon, for how long, and how many came in.
///
/// An object is inside when its anchor point is. It stays an occupant while it is hidden, for as long as the zone is
/// told to wait. Each identity counts once among those that entered. Results carry confirmed objects alone, so what
/// was seen only briefly is never counted.
public struct PolygonZone: Sendable {
    /// An object's stay in the zone.
    public struct Visit: Sendable, Hashable, Codable {
        /// Which object.
        public var id: Int
        /// Its most confident label when it was last seen inside; empty if it has none.
        public var label: String
        /// The timestamp of the first frame in which it was inside.
        public var entered: Duration
        /// The timestamp of the last frame in which it was inside.
        public var lastInside: Duration

        /// The dwell time: from the first frame inside to the last.
        public var dwell: Duration { lastInside - entered }
    }

    /// The corners, in order; the last is joined to the first.
    public let vertices: [PixelPoint]
    /// The point of a box that has to be inside.
    public let anchor: BoxAnchor
    /// How long an occupant may be hidden before it counts as gone.
    public let patience: Duration
    /// How long an object that is not seen is remembered.
    public let memory: Duration
    /// How many objects entered, by label; objects without labels are under the empty name.
    public private(set) var entered: [String: Int] = [:]
    private var visits: [Int: Visit] = [:]
    /// The objects that were counted, and when they were seen last.
    private var counted: [Int: Duration] = [:]

    /// A zone by its corners; one with fewer than three holds nothing.
    ///
    /// - Parameters:
    ///   - vertices: the corners in order, clockwise or not. Where the outline crosses itself, what is surrounded an even
    ///     number of times is outside.
    ///   - anchor: the point of a box that has to be inside.
    ///   - patience: how long an occupant may be hidden before it counts as gone.
    ///   - memory: how long an object that is not seen is remembered, no shorter than the tracker's memory, or else an
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

    /// Who is inside now, in the order of their identities.
    public var occupants: [Visit] { visits.values.sorted { $0.id < $1.id } }
    /// How many objects entered.
    public var totalEntered: Int { entered.values.reduce(0, +) }

    /// Takes in the next result of the stream and returns the visits that ended, in the order of the identities.
    ///
    /// Costs a few operations per object and corner.
    @discardableResult
    public mutating func update(with result: StreamResult) -> [Visit] {
        let now = result.timestamp
        var ended: [Visit] = []
        for object in result.objects {
            if counted[object.id] != nil { counted[object.id] = now }
            if contains(anchor.point(of: object.frame)) {
                let label = object.labels.first?.text ?? ""
                visits[object.id, default: Visit(id: object.id, label: label, entered: now, lastInside: now)]
                    .lastInside = now
                visits[object.id]?.label = label
                if counted.updateValue(now, forKey: object.id) == nil { entered[label, default: 0] += 1 }
            } else if let visit = visits.removeValue(forKey: object.id) {
                ended.append(visit)
            }
        }
        for visit in visits.values where !visit.lastInside.isWithin(patience, of: now) {
            visits[visit.id] = nil
            ended.append(visit)
        }
        counted = counted.filter { $0.value.isWithin(memory, of: now) }
        return ended.sorted { $0.id < $1.id }
    }

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
