import Sightline

/// The objects of a stream and how long each was visible.
///
/// The history keeps an object only as long as it can come back, so that memory does not grow with the length of the stream.
package struct TrackHistory {
    /// An object that cannot come back.
    package struct Entry: Sendable, Hashable {
        /// The object's identity.
        package let id: Int
        /// The object's last label; `object` if it never had a label.
        package let className: String
        /// The time of the first frame with the object.
        package let firstSeen: Duration
        /// The time of the last frame with the object.
        package let lastSeen: Duration
        /// The mean confidence, 0…1.
        package let confidence: Float
    }

    private struct Sighting {
        var label: Label?
        var firstSeen: Duration
        var lastSeen: Duration
        var confidenceSum: Double
        var count: Int
    }

    private var present: [Int: Sighting] = [:]
    /// The number of frames so far.
    package private(set) var frameCount = 0
    /// The number of frames that were dropped because they came faster than the detector could process them.
    package private(set) var droppedFrames = 0
    /// The number of objects that cannot come back.
    package private(set) var identityCount = 0
    /// The number of objects that cannot come back, by class.
    package private(set) var classCounts: [String: Int] = [:]
    private let memory: Duration

    /// Creates an empty history.
    ///
    /// - Parameter memory: the time after which a lost object cannot come back.
    package init(memory: Duration) { self.memory = memory }

    /// Adds a frame.
    ///
    /// - Returns: the objects that cannot come back any more, in the order of their identities.
    package mutating func update(_ result: StreamResult) -> [Entry] {
        frameCount += 1
        droppedFrames = result.droppedFrames
        for object in result.objects {
            guard let track = object.track, let id = track.id else { continue }
            var sighting =
                present[id]
                ?? Sighting(firstSeen: track.firstSeen, lastSeen: track.firstSeen, confidenceSum: 0, count: 0)
            sighting.label = object.labels.first ?? sighting.label
            sighting.lastSeen = result.timestamp
            sighting.confidenceSum += Double(object.confidence)
            sighting.count += 1
            present[id] = sighting
        }
        return end(present.filter { result.timestamp - $0.value.lastSeen > memory })
    }

    /// Ends the stream.
    ///
    /// - Returns: the remaining objects, in the order of their identities.
    package mutating func finish() -> [Entry] { end(present) }

    private mutating func end(_ sightings: [Int: Sighting]) -> [Entry] {
        sightings.sorted { $0.key < $1.key }.map { id, sighting in
            present[id] = nil
            identityCount += 1
            let name = sighting.label?.className ?? "object"
            classCounts[name, default: 0] += 1
            return Entry(
                id: id,
                className: name,
                firstSeen: sighting.firstSeen,
                lastSeen: sighting.lastSeen,
                confidence: Float(sighting.confidenceSum / Double(max(sighting.count, 1)))
            )
        }
    }
}
