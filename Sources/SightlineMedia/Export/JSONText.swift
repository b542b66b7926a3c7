import Sightline

/// A line of JSON (RFC 8259) with its keys in the order in which they are written.
///
/// Foundation's encoder either sorts keys or gives them in no order; results are read by people too, name first.
package struct JSONText {
    /// What was written so far.
    package private(set) var text = ""

    /// An empty text.
    package init() {}

    /// `{…}` with what `fields` writes.
    package mutating func object(_ fields: (inout JSONText) -> Void) {
        text += "{"
        fields(&self)
        text += "}"
    }

    /// `"name":` and what `value` writes.
    package mutating func field(_ name: String, _ value: (inout JSONText) -> Void) {
        if let last = text.last, last != "{" { text += "," }
        string(name)
        text += ":"
        value(&self)
    }

    /// `[…]` with what `element` writes for each item.
    package mutating func array<Items: Collection>(_ items: Items, _ element: (inout JSONText, Items.Element) -> Void) {
        text += "["
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            element(&self, item)
        }
        text += "]"
    }

    /// A string with what must be escaped.
    package mutating func string(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// `true` or `false`.
    package mutating func boolean(_ value: Bool) { text += value ? "true" : "false" }

    /// A whole number.
    package mutating func number(_ value: Int) { text += "\(value)" }

    /// The shortest digits that give the same number back; JSON has no other than finite ones.
    package mutating func number(_ value: Float) { text += value.isFinite ? "\(value)" : "null" }

    /// Rounded to a thousandth.
    package mutating func number(_ value: Double) {
        guard value.isFinite else {
            text += "null"
            return
        }
        text += "\((value * 1000).rounded() / 1000)"
    }
}

extension JSONText {
    /// A frame as `{"x", "y", "width", "height"}`.
    package mutating func frame(_ frame: PixelRect) {
        object { json in
            json.field("x") { $0.number(frame.x) }
            json.field("y") { $0.number(frame.y) }
            json.field("width") { $0.number(frame.width) }
            json.field("height") { $0.number(frame.height) }
        }
    }

    /// A label as `{"text", "index", "confidence"}`.
    package mutating func label(_ label: Label) {
        object { json in
            json.field("text") { $0.string(label.text) }
            json.field("index") { $0.number(label.index) }
            json.field("confidence") { $0.number(label.confidence) }
        }
    }
}

extension JSONText {
    /// The times of stages in milliseconds; that of tracking only where there is any to do.
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
