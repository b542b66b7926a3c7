import Sightline

extension JSONText {
    /// A line of ``ExportFormat/jsonLines``.
    init(_ result: StreamResult) {
        self.init()
        object { json in
            json.field("index") { $0.number(result.index) }
            json.field("time") { $0.number(result.timestamp.seconds) }
            json.field("width") { $0.number(result.size.width) }
            json.field("height") { $0.number(result.size.height) }
            json.field("detected") { $0.boolean(result.isDetected) }
            json.field("dropped") { $0.number(result.droppedFrames) }
            json.field("objects") { $0.array(result.objects) { $0.object($1) } }
            json.field("milliseconds") { $0.timings(result.timings, includesTracking: true) }
        }
    }

    private mutating func object(_ object: TrackedObject) {
        self.object { json in
            json.field("id") { $0.number(object.id) }
            json.field("frame") { $0.frame(object.frame) }
            json.field("confidence") { $0.number(object.confidence) }
            json.field("labels") { $0.array(object.labels) { $0.label($1) } }
            json.field("detected") { $0.boolean(object.isDetected) }
            json.field("firstSeen") { $0.number(object.firstSeen.seconds) }
            json.field("age") { $0.number(object.age.seconds) }
        }
    }
}
