/// An object that crossed a line.
public struct LineEvent: Sendable, Hashable, Codable {
    /// The name of the line.
    public var line: String
    /// The direction in which the object crossed.
    public var direction: LineZone.Direction
    /// The object's identity.
    public var id: Int
    /// The object's most confident label at that time; `object` if it has no label.
    public var label: String
    /// The time of the frame in which the object was first seen beyond the line.
    public var time: Duration
    /// Whether the object crossed in this direction before. Counts leave such events out.
    public var isRepeated: Bool
}
