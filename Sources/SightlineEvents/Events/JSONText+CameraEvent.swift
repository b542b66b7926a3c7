import Foundation
import SightlineMedia
import TextFormatting

extension JSONText {
    /// Writes an event with its camera, date and id: the fields of an event in files, and three more in front.
    mutating func event(_ event: CameraEvent) {
        object { json in
            json.field("uid") { $0.string(event.id) }
            json.field("camera") { $0.string(event.camera) }
            json.field("date") {
                $0.string(event.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            }
            json.fields(of: event.event)
        }
    }

    /// Writes a state.
    mutating func state(_ state: CameraState) {
        object { json in
            json.field("camera") { $0.string(state.camera) }
            json.field("objects") { $0.number(state.objects) }
            if let hasMotion = state.hasMotion { json.field("motion") { $0.boolean(hasMotion) } }
            json.field("lines") { json in
                json.object { json in
                    for line in state.lines {
                        json.field(line.name) { json in
                            json.object { json in
                                json.field("in") { $0.number(line.inward) }
                                json.field("out") { $0.number(line.outward) }
                            }
                        }
                    }
                }
            }
            json.field("zones") { json in
                json.object { json in
                    for zone in state.zones {
                        json.field(zone.name) { json in
                            json.object { json in
                                json.field("inside") { $0.number(zone.inside) }
                                json.field("entered") { $0.number(zone.entered) }
                                json.field("left") { $0.number(zone.left) }
                            }
                        }
                    }
                }
            }
            if !state.things.isEmpty {
                json.field("states") { json in
                    json.object { json in
                        for thing in state.things {
                            json.field(thing.name) { json in
                                if let label = thing.label { json.string(label) } else { json.null() }
                            }
                        }
                    }
                }
            }
        }
    }
}
