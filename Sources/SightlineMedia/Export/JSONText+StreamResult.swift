import Sightline
import TextFormatting

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

}
