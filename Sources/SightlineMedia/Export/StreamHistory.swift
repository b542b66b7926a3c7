import Sightline

/// The account of a stream: its objects, and how many of them crossed lines, entered zones and left them.
///
/// Whoever shows or writes numbers about a stream takes them from one history, so that all of them agree. An identity is one object,
/// however often it is out of sight. The history keeps an object only as long as it can come back, so that memory does not grow with
/// the length of the stream.
///
/// ```swift
/// var history = StreamHistory(zones: [PolygonZone(corners)])
/// for try await analyzed in detector.results(in: video.frames()) {
///     for object in history.update(analyzed.result) { print(object.id, object.className) }
/// }
/// for object in history.finish() { print(object.id, object.className) }
/// print(history.objectCount, history.zones[0].totalEntered)
/// ```
public struct StreamHistory: Sendable {
    private struct Sighting {
        var label: Label?
        var firstSeen: Duration
        var lastSeen: Duration
        var confidenceSum = 0.0
        var count = 0
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
    private var endedByClass: [String: Int] = [:]

    /// Creates the history of a stream without frames.
    public init(lines: [LineZone] = [], zones: [PolygonZone] = []) {
        (self.lines, self.zones) = (lines, zones)
        endedDwell = zones.map { _ in .zero }
    }

    /// The number of objects so far.
    public var objectCount: Int { ended + present.count }
    /// The number of objects so far, by the last label; objects that never had a label count as `object`.
    public var classCounts: [String: Int] {
        present.values.reduce(into: endedByClass) { $0[Self.className($1.label), default: 0] += 1 }
    }

    /// Adds a frame.
    ///
    /// - Returns: the objects that cannot come back any more, in the order of their identities.
    public mutating func update(_ result: StreamResult) -> [StreamObject] {
        frameCount += 1
        droppedFrames = result.droppedFrames
        let gone = end(result.ended)
        for object in result.objects {
            guard let track = object.track, let id = track.id else { continue }
            var sighting = present[id] ?? Sighting(firstSeen: track.firstSeen, lastSeen: track.firstSeen)
            sighting.label = object.labels.first ?? sighting.label
            sighting.lastSeen = result.timestamp
            sighting.confidenceSum += Double(object.confidence)
            sighting.count += 1
            present[id] = sighting
        }
        for index in lines.indices { lines[index].update(with: result) }
        for index in zones.indices {
            endedDwell[index] += zones[index].update(with: result).reduce(.zero) { $0 + $1.dwell }
        }
        return gone
    }

    /// Ends the stream.
    ///
    /// - Returns: the remaining objects, in the order of their identities.
    public mutating func finish() -> [StreamObject] { end(present.keys.sorted()) }

    private mutating func end(_ ids: [Int]) -> [StreamObject] {
        ids.compactMap { id in
            guard let sighting = present.removeValue(forKey: id) else { return nil }
            let name = Self.className(sighting.label)
            ended += 1
            endedByClass[name, default: 0] += 1
            return StreamObject(
                id: id,
                className: name,
                firstSeen: sighting.firstSeen,
                lastSeen: sighting.lastSeen,
                confidence: Float(sighting.confidenceSum / Double(max(sighting.count, 1)))
            )
        }
    }

    private static func className(_ label: Label?) -> String { label?.className ?? "object" }
}

/// An object of a stream that cannot come back.
public struct StreamObject: Sendable, Hashable {
    /// The object's identity.
    public let id: Int
    /// The object's last label; `object` if it never had a label.
    public let className: String
    /// When the object was first detected.
    public let firstSeen: Duration
    /// The time of the last frame with the object.
    public let lastSeen: Duration
    /// The mean confidence, 0…1.
    public let confidence: Float
}
