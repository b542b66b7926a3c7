import Sightline
import TextFormatting

extension JSONText {
    /// An object in the form that `DetectedObject` encodes itself, with numbers rounded to a thousandth.
    package mutating func object(_ object: DetectedObject) {
        self.object { json in
            if let id = object.id { json.field("id") { $0.number(id) } }
            json.field("frame") { $0.frame(object.frame) }
            json.field("confidence") { $0.number(object.confidence) }
            if object.objectConfidence != object.confidence {
                json.field("objectConfidence") { $0.number(object.objectConfidence) }
            }
            if let index = object.classIndex { json.field("classIndex") { $0.number(index) } }
            json.field("labels") { $0.array(object.labels) { $0.label($1) } }
            if let mask = object.mask { json.field("mask") { $0.mask(mask) } }
            if let points = object.points { json.field("points") { $0.array(points) { $0.point($1) } } }
            guard let track = object.track else { return }
            json.field("detected") { $0.boolean(track.isDetected) }
            json.field("firstSeen") { $0.number(track.firstSeen.seconds) }
            json.field("age") { $0.number(track.age.seconds) }
        }
    }

    /// A mask in the form that `ObjectMask` encodes itself.
    private mutating func mask(_ mask: ObjectMask) {
        object { json in
            for (name, number) in [("x", mask.x), ("y", mask.y), ("width", mask.width), ("height", mask.height)] {
                json.field(name) { $0.number(number) }
            }
            json.field("runs") { $0.array(mask.runs) { $0.number($1) } }
        }
    }

    private mutating func point(_ point: ObjectPoint) {
        object { json in
            json.field("name") { $0.string(point.name.rawValue) }
            json.field("x") { $0.number(point.position.x) }
            json.field("y") { $0.number(point.position.y) }
            if let confidence = point.confidence { json.field("confidence") { $0.number(confidence) } }
        }
    }
}
