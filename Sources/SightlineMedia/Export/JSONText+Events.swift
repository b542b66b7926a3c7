import Sightline
import TextFormatting

extension JSONText {
    /// Writes an event.
    package mutating func event(_ event: StreamEvent) {
        object { json in
            json.field("event") { $0.string(event.name) }
            json.field("time") { $0.number(event.time.seconds) }
            json.field("id") { $0.number(event.id) }
            json.field("label") { $0.string(event.label) }
            switch event {
            case .line(let event):
                json.field("line") { $0.string(event.line) }
                json.field("direction") { $0.string(event.direction.rawValue) }
                if event.isRepeated { json.field("repeated") { $0.boolean(true) } }
            case .zone(let event):
                json.field("zone") { $0.string(event.zone) }
                if event.kind.hasDwell { json.field("dwell") { $0.number(event.dwell.seconds) } }
                if event.isRepeated { json.field("repeated") { $0.boolean(true) } }
            case .object(let event):
                json.field("firstSeen") { $0.number(event.object.firstSeen.seconds) }
                json.field("lastSeen") { $0.number(event.object.lastSeen.seconds) }
                json.field("confidence") { $0.number(event.object.confidence) }
            }
        }
    }
}

extension StreamEvent {
    /// The name of the event in files.
    var name: String {
        switch self {
        case .line: "crossed"
        case .zone(let event): event.kind.rawValue
        case .object(let event): event.kind.rawValue
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
