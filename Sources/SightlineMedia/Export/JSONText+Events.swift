import Sightline
import TextFormatting

extension JSONText {
    /// Writes an event.
    package mutating func event(_ event: StreamEvent) {
        object { $0.fields(of: event) }
    }

    /// Writes the fields of an event into an object.
    package mutating func fields(of event: StreamEvent) {
        field("event") { $0.string(event.name) }
        field("time") { $0.number(event.time.seconds) }
        field("id") { $0.number(event.id) }
        field("label") { $0.string(event.label) }
        switch event {
        case .line(let event):
            field("line") { $0.string(event.line) }
            field("direction") { $0.string(event.direction.rawValue) }
            if event.isRepeated { field("repeated") { $0.boolean(true) } }
        case .zone(let event):
            field("zone") { $0.string(event.zone) }
            if event.kind.hasDwell { field("dwell") { $0.number(event.dwell.seconds) } }
            if event.isRepeated { field("repeated") { $0.boolean(true) } }
        case .object(let event):
            field("firstSeen") { $0.number(event.object.firstSeen.seconds) }
            field("lastSeen") { $0.number(event.object.lastSeen.seconds) }
            field("confidence") { $0.number(event.object.confidence) }
        case .state(let event):
            field("thing") { $0.string(event.thing) }
            if let earlier = event.earlier { field("earlier") { $0.string(earlier) } }
            field("confidence") { $0.number(event.confidence) }
        }
    }
}

extension StreamEvent {
    /// The name of the event in files.
    package var name: String {
        switch self {
        case .line: "crossed"
        case .zone(let event): event.kind.rawValue
        case .object(let event): event.kind.rawValue
        case .state: "state"
        }
    }
}

extension ZoneEvent.Kind {
    /// Whether an object was inside before the event.
    var hasDwell: Bool {
        switch self {
        case .entered, .beganInside: false
        case .left, .endedInside, .dwellPassed: true
        }
    }
}
