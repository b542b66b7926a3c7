/// A change of a thing's state, for example of a gate that is open now.
public struct StateEvent: Sendable, Hashable, Codable {
    /// The name of the thing.
    public var thing: String
    /// The state, a label of the thing's model.
    public var label: String
    /// The state that was known before; nil if none was known.
    public var earlier: String?
    /// The confidence of the label when the state was decided, 0…1.
    public var confidence: Float
    /// The time of the first frame that shows the state.
    public var time: Duration

    /// Creates an event.
    public init(thing: String, label: String, earlier: String?, confidence: Float, time: Duration) {
        (self.thing, self.label, self.earlier) = (thing, label, earlier)
        (self.confidence, self.time) = (confidence, time)
    }
}
