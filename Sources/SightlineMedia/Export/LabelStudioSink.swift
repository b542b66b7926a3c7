import Foundation
import Sightline
import TextFormatting

extension ResultFormat {
    /// Tasks with predictions for Label Studio (labelstud.io, "Import pre-annotated data").
    ///
    /// Each picture or frame is a task, and its `image` is the picture's name. Label Studio loads the picture from there, so the name
    /// must be an address that Label Studio can reach. Boxes are `rectanglelabels` of the control `label`, and labels of a whole
    /// picture are `choices` of the control `choice`, both for the object `image`, as in the templates of Label Studio. Coordinates
    /// are percentages of the upright picture.
    public static let labelStudio = ResultFormat(
        name: "label-studio",
        summary: "JSON tasks with predictions, to correct in Label Studio",
        kinds: [.objects, .labels, .frames]
    ) { _, write in LabelStudioSink(write: write) }
}

/// Writes ``ResultFormat/labelStudio``.
private struct LabelStudioSink: ResultSink {
    let write: ResultFormat.Writer
    private var isEmpty = true

    init(write: @escaping ResultFormat.Writer) { self.write = write }

    func begin() throws { try write("[") }

    mutating func append(_ picture: PictureResult) throws {
        guard let size = picture.size else { return }
        var labels: [Label] = []
        if case .labels(let result) = picture.outcome { labels = result.labels }
        try append(picture.name, picture.objects, labels, size)
    }

    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        try append(frame.path, frame.objects, [], frame.size)
    }

    private mutating func append(
        _ picture: String,
        _ objects: [DetectedObject],
        _ labels: [Label],
        _ size: PixelSize
    ) throws {
        var json = JSONText()
        json.object { json in
            json.field("data") { json in
                json.object { json in json.field("image") { $0.string(picture) } }
            }
            json.field("predictions") { json in json.array([labels]) { $0.add(prediction: objects, $1, size) } }
        }
        try write((isEmpty ? "\n" : ",\n") + json.text)
        isEmpty = false
    }

    func finish() throws { try write(isEmpty ? "]\n" : "\n]\n") }
}

extension JSONText {
    fileprivate mutating func add(prediction objects: [DetectedObject], _ labels: [Label], _ size: PixelSize) {
        let confidences = objects.map(\.confidence) + labels.map(\.confidence)
        object { json in
            json.field("model_version") { $0.string("sightline") }
            if !confidences.isEmpty {
                json.field("score") { $0.number(confidences.reduce(0, +) / Float(confidences.count)) }
            }
            json.field("result") { json in
                if labels.isEmpty {
                    json.array(objects.enumerated().map { ($0, $1) }) { $0.add(box: $1.1, number: $1.0, size) }
                } else {
                    json.array([labels]) { $0.add(choices: $1) }
                }
            }
        }
    }

    private mutating func add(box object: DetectedObject, number: Int, _ size: PixelSize) {
        let frame = object.frame
        let (width, height) = (Double(size.width), Double(size.height))
        self.object { json in
            json.field("id") { $0.string("\(number + 1)") }
            json.field("type") { $0.string("rectanglelabels") }
            json.field("from_name") { $0.string("label") }
            json.field("to_name") { $0.string("image") }
            json.field("original_width") { $0.number(size.width) }
            json.field("original_height") { $0.number(size.height) }
            json.field("image_rotation") { $0.number(0) }
            json.field("score") { $0.number(object.confidence) }
            json.field("value") { json in
                json.object { json in
                    json.field("x") { $0.number(100 * frame.x / width) }
                    json.field("y") { $0.number(100 * frame.y / height) }
                    json.field("width") { $0.number(100 * frame.width / width) }
                    json.field("height") { $0.number(100 * frame.height / height) }
                    json.field("rotation") { $0.number(0) }
                    json.field("rectanglelabels") { json in json.array([object.className]) { $0.string($1) } }
                }
            }
        }
    }

    private mutating func add(choices labels: [Label]) {
        object { json in
            json.field("id") { $0.string("1") }
            json.field("type") { $0.string("choices") }
            json.field("from_name") { $0.string("choice") }
            json.field("to_name") { $0.string("image") }
            json.field("value") { json in
                json.object { json in
                    json.field("choices") { json in json.array(labels) { $0.string($1.className) } }
                }
            }
        }
    }
}
