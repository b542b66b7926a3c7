import Sightline

/// A line of JSON (RFC 8259) with its keys in the order in which they are written.
///
/// Foundation's encoder either sorts keys or gives them in no order; results are read by people too, name first.
struct JSONText {
    private(set) var text = ""

    /// `{…}` with what `fields` writes.
    mutating func object(_ fields: (inout JSONText) -> Void) {
        text += "{"
        fields(&self)
        text += "}"
    }

    /// `"name":` and what `value` writes.
    mutating func field(_ name: String, _ value: (inout JSONText) -> Void) {
        if let last = text.last, last != "{" { text += "," }
        string(name)
        text += ":"
        value(&self)
    }

    /// `[…]` with what `element` writes for each item.
    mutating func array<Items: Collection>(_ items: Items, _ element: (inout JSONText, Items.Element) -> Void) {
        text += "["
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            element(&self, item)
        }
        text += "]"
    }

    mutating func string(_ value: String) {
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

    mutating func number(_ value: Int) { text += "\(value)" }

    /// The shortest digits that give the same number back; JSON has no other than finite ones.
    mutating func number(_ value: Float) { text += value.isFinite ? "\(value)" : "null" }

    /// Rounded to a thousandth.
    mutating func number(_ value: Double) {
        guard value.isFinite else {
            text += "null"
            return
        }
        text += "\((value * 1000).rounded() / 1000)"
    }
}

extension JSONText {
    /// A record in the form that the command's help describes.
    init(_ record: PictureRecord) {
        self.init()
        object { json in
            json.field("image") { $0.string(record.image) }
            switch record.outcome {
            case .failed(let reason):
                json.field("error") { $0.string(reason) }
            case .found(let findings, let size, let timings):
                json.field("width") { $0.number(size.width) }
                json.field("height") { $0.number(size.height) }
                switch findings {
                case .objects(let objects): json.field("objects") { $0.array(objects) { $0.object($1) } }
                case .labels(let labels): json.field("labels") { $0.array(labels) { $0.label($1) } }
                }
                json.field("milliseconds") { $0.timings(timings) }
            }
        }
    }

    private mutating func object(_ object: DetectedObject) {
        self.object { json in
            json.field("frame") { json in
                json.object { json in
                    json.field("x") { $0.number(object.frame.x) }
                    json.field("y") { $0.number(object.frame.y) }
                    json.field("width") { $0.number(object.frame.width) }
                    json.field("height") { $0.number(object.frame.height) }
                }
            }
            json.field("confidence") { $0.number(object.confidence) }
            json.field("labels") { $0.array(object.labels) { $0.label($1) } }
        }
    }

    private mutating func label(_ label: Label) {
        object { json in
            json.field("text") { $0.string(label.text) }
            json.field("index") { $0.number(label.index) }
            json.field("confidence") { $0.number(label.confidence) }
        }
    }

    private mutating func timings(_ timings: StageTimings) {
        object { json in
            json.field("decoding") { $0.number(timings.decoding.milliseconds) }
            json.field("preprocessing") { $0.number(timings.preprocessing.milliseconds) }
            json.field("inference") { $0.number(timings.inference.milliseconds) }
            json.field("postprocessing") { $0.number(timings.postprocessing.milliseconds) }
            json.field("total") { $0.number(timings.total.milliseconds) }
        }
    }
}

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double { self / .milliseconds(1) }
}
