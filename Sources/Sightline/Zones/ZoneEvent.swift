/// An object that came into a zone, left it, or stayed in it.
///
/// The number of objects inside is the number of ``Kind/entered`` and ``Kind/beganInside`` so far, less that of ``Kind/left`` and
/// ``Kind/endedInside``, repeated events included.
public struct ZoneEvent: Sendable, Hashable, Codable {
    /// The kind of an event.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The object was outside and came in.
        case entered
        /// The object was inside and went out.
        case left
        /// The object was inside when it was first seen, or when it was seen again after it had ended inside.
        case beganInside
        /// The object was inside when it was last seen.
        case endedInside
        /// The object has been inside for as long as the zone's ``PolygonZone/dwellLimit``.
        case dwellPassed
    }

    /// The name of the zone.
    public var zone: String
    /// The kind of the event.
    public var kind: Kind
    /// The object's identity.
    public var id: Int
    /// The object's most confident label at that time; `object` if it has no label.
    public var label: String
    /// The time of the frame that shows the event: the first frame inside or outside; for `endedInside`, the last frame inside.
    public var time: Duration
    /// The time from the first frame inside to the last so far; zero where the stay begins.
    public var dwell: Duration
    /// Whether the object did the same before. Counts leave such events out.
    public var isRepeated: Bool
}
