import Sightline
import TextFormatting

extension JSONText {
    /// Writes a bounding box as `{"x", "y", "width", "height"}`.
    package mutating func frame(_ frame: PixelRect) {
        object { json in
            json.field("x") { $0.number(frame.x) }
            json.field("y") { $0.number(frame.y) }
            json.field("width") { $0.number(frame.width) }
            json.field("height") { $0.number(frame.height) }
        }
    }

    /// Writes a label as `{"text", "index", "confidence"}`.
    package mutating func label(_ label: Label) {
        object { json in
            json.field("text") { $0.string(label.text) }
            json.field("index") { $0.number(label.index) }
            json.field("confidence") { $0.number(label.confidence) }
        }
    }
}

extension JSONText {
    /// Writes the duration of each stage in milliseconds. Only streams have a tracking stage.
    package mutating func timings(_ timings: StageTimings, includesTracking: Bool = false) {
        object { json in
            json.field("decoding") { $0.number(timings.decoding.milliseconds) }
            json.field("preprocessing") { $0.number(timings.preprocessing.milliseconds) }
            json.field("inference") { $0.number(timings.inference.milliseconds) }
            json.field("postprocessing") { $0.number(timings.postprocessing.milliseconds) }
            if includesTracking { json.field("tracking") { $0.number(timings.tracking.milliseconds) } }
            json.field("total") { $0.number(timings.total.milliseconds) }
        }
    }
}

extension Duration {
    /// The duration in milliseconds.
    package var milliseconds: Double { self / .milliseconds(1) }
    /// The duration in seconds.
    package var seconds: Double { self / .seconds(1) }
}
