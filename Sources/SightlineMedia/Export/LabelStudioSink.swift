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
    ) { _, write in LabelStudioSink(writesOutlines: false, write: write) }

    /// As ``labelStudio``, with outlines: `polygonlabels` of the control `label`, as in Label Studio's template "Semantic Segmentation with
    /// Polygons". Each part of a mask is a region of its own; an object without a mask has the corners of its box.
    public static let labelStudioPolygons = ResultFormat(
        name: "label-studio-polygons",
        summary: "as label-studio, with the outlines of masks as polygons",
        kinds: [.objects, .frames]
    ) { _, write in LabelStudioSink(writesOutlines: true, write: write) }
}

/// Writes ``ResultFormat/labelStudio``.
private struct LabelStudioSink: ResultSink {
    private let writesOutlines: Bool
    let write: ResultFormat.Writer
    private var isEmpty = true

    init(writesOutlines: Bool, write: @escaping ResultFormat.Writer) {
        (self.writesOutlines, self.write) = (writesOutlines, write)
    }

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
            json.field("predictions") { json in
                json.array([labels]) { $0.add(prediction: objects, $1, size, writesOutlines: writesOutlines) }
            }
        }
        try write((isEmpty ? "\n" : ",\n") + json.text)
        isEmpty = false
    }

    func finish() throws { try write(isEmpty ? "]\n" : "\n]\n") }
}

extension JSONText {
    fileprivate mutating func add(
        prediction objects: [DetectedObject],
        _ labels: [Label],
        _ size: PixelSize,
        writesOutlines: Bool
    ) {
        let confidences = objects.map(\.confidence) + labels.map(\.confidence)
        object { json in
            json.field("model_version") { $0.string("sightline") }
            if !confidences.isEmpty {
                json.field("score") { $0.number(confidences.reduce(0, +) / Float(confidences.count)) }
            }
            json.field("result") { json in
                if writesOutlines {
                    let regions = objects.flatMap { object in object.outlines(in: size).map { (object, $0) } }
                    json.array(regions.enumerated().map { ($0, $1) }) {
                        $0.add(outline: $1.1.1, of: $1.1.0, number: $1.0, size)
                    }
                } else if labels.isEmpty {
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
        add(region: object, "rectanglelabels", number: number, size) { json in
            json.field("x") { $0.number(100 * frame.x / width) }
            json.field("y") { $0.number(100 * frame.y / height) }
            json.field("width") { $0.number(100 * frame.width / width) }
            json.field("height") { $0.number(100 * frame.height / height) }
            json.field("rotation") { $0.number(0) }
        }
    }

    private mutating func add(outline: [PixelPoint], of object: DetectedObject, number: Int, _ size: PixelSize) {
        let (width, height) = (Double(size.width), Double(size.height))
        add(region: object, "polygonlabels", number: number, size) { json in
            json.field("points") { json in
                json.array(outline) { json, point in
                    json.array([100 * point.x / width, 100 * point.y / height]) { $0.number($1) }
                }
            }
            json.field("closed") { $0.boolean(true) }
        }
    }

    /// Writes a region of a control.
    ///
    /// - Parameter shape: writes the fields of its shape.
    private mutating func add(
        region object: DetectedObject,
        _ type: String,
        number: Int,
        _ size: PixelSize,
        shape: (inout JSONText) -> Void
    ) {
        self.object { json in
            json.field("id") { $0.string("\(number + 1)") }
            json.field("type") { $0.string(type) }
            json.field("from_name") { $0.string("label") }
            json.field("to_name") { $0.string("image") }
            json.field("original_width") { $0.number(size.width) }
            json.field("original_height") { $0.number(size.height) }
            json.field("image_rotation") { $0.number(0) }
            json.field("score") { $0.number(object.confidence) }
            json.field("value") { json in
                json.object { json in
                    shape(&json)
                    json.field(type) { json in json.array([object.className]) { $0.string($1) } }
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
