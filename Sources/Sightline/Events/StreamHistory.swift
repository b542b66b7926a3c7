/// The account of a stream: its objects, and how many of them crossed lines, entered zones and left them.
///
/// All numbers about a stream come from one history, so that they agree. An identity is one object,
/// however often it is out of sight. The history keeps an object only as long as it can come back, so that memory does not grow with
/// the length of the stream.
///
/// ```swift
/// var history = StreamHistory(zones: [PolygonZone(corners, name: "door")])
/// for try await analyzed in detector.results(in: video.frames()) {
///     for case .zone(let event) in history.update(analyzed.result) where event.kind == .entered { print(event.id, event.label) }
/// }
/// _ = history.finish()
/// print(history.objectCount, history.zones[0].totalEntered)
/// ```
public struct StreamHistory: Sendable {
    private struct Sighting {
        let id: Int
        var label: String?
        let firstSeen: Duration
        var lastSeen: Duration
        var confidenceSum = 0.0
        var count = 0

        var object: StreamObject {
            StreamObject(
                id: id,
                label: label ?? "object",
                firstSeen: firstSeen,
                lastSeen: lastSeen,
                confidence: Float(confidenceSum / Double(max(count, 1)))
            )
        }
    }

    /// The lines that objects cross.
    public private(set) var lines: [LineZone]
    /// The zones that objects enter and leave.
    public private(set) var zones: [PolygonZone]
    /// The time that objects spent in each zone, without the visits that last.
    public private(set) var endedDwell: [Duration]
    /// The number of frames so far.
    public private(set) var frameCount = 0
    /// The number of frames that are missing between them, for example because they came faster than the detector works.
    public private(set) var droppedFrames = 0
    private var present: [Int: Sighting] = [:]
    private var ended = 0
    private var endedByLabel: [String: Int] = [:]
    /// The objects that have been left out in each frame so far, and the number of those that cannot come back.
    private var (unnamed, endedUnnamed) = (Set<Int>(), 0)

    /// Creates the history of a stream without frames.
    public init(lines: [LineZone] = [], zones: [PolygonZone] = []) {
        (self.lines, self.zones) = (lines, zones)
        endedDwell = zones.map { _ in .zero }
    }

    /// The number of objects so far.
    public var objectCount: Int { ended + present.count }
    /// The number of further objects that the detector's options left out because their names were never sure enough
    /// (``StreamResult/unnamed``).
    public var unnamedCount: Int { endedUnnamed + unnamed.count }
    /// The number of objects that are in sight, or that are hidden and can come back.
    public var presentCount: Int { present.count }
    /// The number of objects so far, by the last label; objects that never had a label count as `object`.
    public var labelCounts: [String: Int] {
        present.values.reduce(into: endedByLabel) { $0[$1.object.label, default: 0] += 1 }
    }

    /// Adds a frame.
    ///
    /// - Returns: the events of the frame: objects that appeared or were named, lines, zones, and objects that are gone, each in the
    ///   order of the identities.
    public mutating func update(_ result: StreamResult) -> [StreamEvent] {
        frameCount += 1
        droppedFrames = result.droppedFrames
        var events: [StreamEvent] = []
        unnamed.formUnion(result.unnamed.filter { present[$0] == nil })
        for object in result.objects {
            guard let track = object.track, let id = track.id else { continue }
            let known = present[id]
            unnamed.remove(id)
            var sighting = known ?? Sighting(id: id, firstSeen: track.firstSeen, lastSeen: track.firstSeen)
            sighting.label = object.labels.first?.className ?? sighting.label
            sighting.lastSeen = result.timestamp
            sighting.confidenceSum += Double(object.confidence)
            sighting.count += 1
            present[id] = sighting
            let kind: ObjectEvent.Kind? = known == nil ? .appeared : known?.label == sighting.label ? nil : .named
            if let kind {
                events.append(.object(ObjectEvent(kind: kind, object: sighting.object, time: result.timestamp)))
            }
        }
        for index in lines.indices { events += lines[index].update(with: result).map { .line($0) } }
        for index in zones.indices { add(zones[index].update(with: result), ofZone: index, to: &events) }
        for id in result.ended where unnamed.remove(id) != nil { endedUnnamed += 1 }
        return events + end(result.ended)
    }

    /// Ends the stream. The counts remain, and another stream with other identities may follow.
    ///
    /// - Returns: the events of the objects that remained.
    public mutating func finish() -> [StreamEvent] {
        var events: [StreamEvent] = []
        for index in lines.indices { lines[index].finish() }
        for index in zones.indices { add(zones[index].finish(), ofZone: index, to: &events) }
        (unnamed, endedUnnamed) = ([], unnamedCount)
        return events + end(present.keys.sorted())
    }

    private mutating func add(_ found: [ZoneEvent], ofZone index: Int, to events: inout [StreamEvent]) {
        for event in found where event.kind == .left || event.kind == .endedInside { endedDwell[index] += event.dwell }
        events += found.map { .zone($0) }
    }

    private mutating func end(_ ids: [Int]) -> [StreamEvent] {
        ids.compactMap { id in
            guard let object = present.removeValue(forKey: id)?.object else { return nil }
            ended += 1
            endedByLabel[object.label, default: 0] += 1
            return .object(ObjectEvent(kind: .lost, object: object, time: object.lastSeen))
        }
    }
}
