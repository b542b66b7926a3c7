import Sightline

/// Finds the parts of a frame that hide its objects, from the frames around it.
///
/// A detector finds an object some frames after it comes into view, misses it in others, and loses it some frames before it is gone.
/// So each object stays hidden from half a second before it is first found to half a second after it is last found. Where it is not
/// found, the parts cover where it was and will be, and where its motion leads. The frames of an `OfflineTracker` have each object in every
/// frame between its first and its last detection, so that no gap remains.
///
/// In a frame in which an object is found with a mask, ``hiddenParts(of:)`` has the object's masks of that frame and of those around it. In
/// all other frames it has boxes, since a mask cannot be moved as surely.
///
/// ```swift
/// planner.add(analyzed.result)  // this frame and those of the lookahead behind it
/// let scene = AnnotatedScene(earlier.result, covers: planner.covers(of: earlier.result))
/// ```
public struct CoverPlanner: Sendable {
    private struct Sighting: Sendable {
        /// Nil for an object without an identity.
        let id: Int?
        let frame: PixelRect
        /// Nil if the box has to hide the object.
        let mask: ObjectMask?
        let time: Duration
        /// The size of the frame.
        let size: PixelSize
    }

    /// The time before and after its sightings for which an object is hidden.
    public static let reach = Duration.milliseconds(500)
    /// The time ahead of a frame for which other frames have to be known: the reach, and a little more that shows how an object moves.
    public static let lookahead = Duration.milliseconds(700)
    /// The time around a sighting for which the boxes before and after it count, too: single boxes may leave out a part of the object.
    private static let nearness = Duration.milliseconds(200)
    /// The greatest distance of an object from its sightings, in multiples of its box.
    private static let longestWay = 4.0
    /// By how much of its size the expected box of an object grows on each side for each second without a sighting: the motion may change.
    private static let growth = 0.4

    private var sightings: [Sighting] = []

    /// Creates a planner that knows no frames.
    public init() {}

    /// Adds the objects of the next frame. Frames more than twice the lookahead before it are forgotten.
    public mutating func add(_ result: StreamResult) {
        sightings.removeAll { $0.time < result.timestamp - Self.lookahead * 2 }
        for object in result.objects + result.tentative {
            sightings.append(
                Sighting(
                    id: object.id,
                    frame: object.frame,
                    mask: object.maskToHide,
                    time: result.timestamp,
                    size: result.size
                )
            )
        }
    }

    /// The parts of a frame that hide its objects.
    public struct HiddenParts: Sendable, Hashable {
        /// The boxes to hide.
        public var covers: [PixelRect] = []
        /// The masks to hide.
        public var masks: [ObjectMask] = []

        /// Creates no parts.
        public init() {}
    }

    /// The boxes and masks of a frame to cover, after the frames of the ``lookahead`` behind it were added.
    public func hiddenParts(of result: StreamResult) -> HiddenParts {
        var parts = HiddenParts()
        let (tentative, objects) = sightings(of: result)
        parts.covers = tentative
        for sightings in objects {
            if let mask = Self.mask(sightings, at: result.timestamp) {
                parts.masks.append(mask)
            } else if let cover = Self.cover(sightings, at: result.timestamp) {
                parts.covers.append(cover)
            }
        }
        return parts
    }

    /// The parts of a frame to cover, after the frames of the ``lookahead`` behind it were added: a box also where an object has masks.
    public func covers(of result: StreamResult) -> [PixelRect] {
        let (tentative, objects) = sightings(of: result)
        return tentative + objects.compactMap { Self.cover($0, at: result.timestamp) }
    }

    /// The boxes of objects without an identity around a frame, and the sightings of each other object, in the order of their times.
    private func sightings(of result: StreamResult) -> (tentative: [PixelRect], objects: [[Sighting]]) {
        let time = result.timestamp
        let near = sightings.filter { $0.size == result.size && abs($0.time, time) <= Self.lookahead }
        let tentative = near.filter { $0.id == nil && abs($0.time, time) <= Self.reach }.map(\.frame)
        // Sightings are in the order of their times.
        let objects = Dictionary(grouping: near.filter { $0.id != nil }, by: \.id).values
        return (tentative, Array(objects))
    }

    /// The masks of an object around a time, together; nil if it has none at that time.
    private static func mask(_ sightings: [Sighting], at time: Duration) -> ObjectMask? {
        guard sightings.contains(where: { $0.time == time && $0.mask != nil }) else { return nil }
        return ObjectMask.union(sightings.filter { abs($0.time, time) <= nearness }.compactMap(\.mask))
    }

    /// The part that covers an object at a time, from its sightings around that time; nil if none is within the reach.
    private static func cover(_ sightings: [Sighting], at time: Duration) -> PixelRect? {
        let isSeen = sightings.contains { $0.time == time }
        var frames = sightings.filter { abs($0.time, time) <= (isSeen ? nearness : reach) }.map(\.frame)
        guard let first = sightings.first, let last = sightings.last, let one = frames.popLast() else { return nil }
        if first.time > time || last.time < time {
            frames.append(moved(first.time > time ? first : last, to: time, along: first, last))
        }
        return frames.reduce(one) { $0.union($1) }
    }

    /// A sighting's box, where the motion from one sighting to another takes it.
    private static func moved(
        _ sighting: Sighting,
        to time: Duration,
        along first: Sighting,
        _ last: Sighting
    ) -> PixelRect {
        var frame = sighting.frame
        let (passed, way) = ((last.time - first.time).seconds, (time - sighting.time).seconds)
        guard passed > 0 else { return frame }
        let (x, y) = (last.frame.midX - first.frame.midX, last.frame.midY - first.frame.midY)
        frame.x += min(max(x * way / passed, -frame.width * longestWay), frame.width * longestWay)
        frame.y += min(max(y * way / passed, -frame.height * longestWay), frame.height * longestWay)
        let (wider, higher) = (frame.width * growth * Swift.abs(way), frame.height * growth * Swift.abs(way))
        return PixelRect(
            x: frame.x - wider,
            y: frame.y - higher,
            width: frame.width + 2 * wider,
            height: frame.height + 2 * higher
        )
    }
}

private func abs(_ first: Duration, _ second: Duration) -> Duration { first > second ? first - second : second - first }
