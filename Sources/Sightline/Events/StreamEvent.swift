/// Something that happened to an object of a stream, or a thing that it shows.
public enum StreamEvent: Sendable, Hashable, Codable {
    /// An object crossed a line.
    case line(LineEvent)
    /// An object came into a zone, left it, or stayed in it.
    case zone(ZoneEvent)
    /// An object appeared, got another name, or is gone.
    case object(ObjectEvent)
    /// A thing is in another state.
    case state(StateEvent)

    /// The object's identity; 0 for a thing.
    public var id: Int {
        switch self {
        case .line(let event): event.id
        case .zone(let event): event.id
        case .object(let event): event.object.id
        case .state: 0
        }
    }

    /// The time of the frame that shows the event.
    public var time: Duration {
        switch self {
        case .line(let event): event.time
        case .zone(let event): event.time
        case .object(let event): event.time
        case .state(let event): event.time
        }
    }

    /// The object's label at that time, `object` if it has no label; or the state of a thing.
    public var label: String {
        switch self {
        case .line(let event): event.label
        case .zone(let event): event.label
        case .object(let event): event.object.label
        case .state(let event): event.label
        }
    }
}

/// An object that appeared, got another name, or is gone.
public struct ObjectEvent: Sendable, Hashable, Codable {
    /// The kind of an event.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The object has an identity from this frame on.
        case appeared
        /// The object got its first label, or another one.
        case named
        /// The object cannot come back.
        case lost
    }

    /// The kind of the event.
    public var kind: Kind
    /// The object as it was known at that time.
    public var object: StreamObject
    /// The time of the frame that shows the event; for `lost`, the last frame with the object.
    public var time: Duration
}

/// An object of a stream, as far as it is known.
public struct StreamObject: Sendable, Hashable, Codable {
    /// The object's identity.
    public let id: Int
    /// The object's last label; `object` if it never had a label.
    public let label: String
    /// When the object was first detected.
    public let firstSeen: Duration
    /// The time of the last frame with the object.
    public let lastSeen: Duration
    /// The mean confidence, 0…1.
    public let confidence: Float
}
