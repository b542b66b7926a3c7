import Foundation
import Sightline
import TextFormatting

/// The document of ``ExportFormat/coco``, written from its beginning to its end.
///
/// The category of an object is the index of its best label plus one, since COCO counts from 1; objects without labels are
/// of category 0, "object". Image ids are frame indices plus one.
struct COCOText {
    /// What comes before the first annotation.
    static let start = "{\"annotations\":["

    private var categories: [Int: String] = [:]
    private var annotationCount = 0
    private var imageCount = 0
    private let images: TemporaryText

    init() throws(MediaError) {
        images = try TemporaryText()
    }

    /// The annotations of a frame; its image is remembered.
    mutating func annotations(of result: StreamResult) throws(MediaError) -> String {
        try images.append((imageCount == 0 ? "\n" : ",\n") + image(of: result))
        imageCount += 1
        return result.objects.map { annotation(of: $0, image: result.index + 1) }.joined()
    }

    /// Ends the document: closes the annotations, then writes images and categories.
    func finish(_ write: (String) throws -> Void) throws {
        try write("\n],\"images\":[")
        try images.forEachPart(write)
        var json = JSONText()
        json.array(categories.sorted { $0.key < $1.key }) { json, category in
            json.object { json in
                json.field("id") { $0.number(category.key) }
                json.field("name") { $0.string(category.value) }
            }
        }
        try write("\n],\"categories\":\(json.text)}\n")
    }

    private mutating func annotation(of object: DetectedObject, image: Int) -> String {
        annotationCount += 1
        let best = object.labels.first
        let category = best.map { $0.index + 1 } ?? 0
        if categories[category] == nil {
            categories[category] = best.map { $0.text.isEmpty ? "class \($0.index)" : $0.text } ?? "object"
        }
        var json = JSONText()
        json.object { json in
            json.field("id") { $0.number(annotationCount) }
            json.field("image_id") { $0.number(image) }
            json.field("category_id") { $0.number(category) }
            json.field("bbox") { json in
                let frame = object.frame
                json.array([frame.x, frame.y, frame.width, frame.height]) { $0.number($1) }
            }
            json.field("area") { $0.number(object.frame.area) }
            json.field("iscrowd") { $0.number(0) }
            json.field("score") { $0.number(object.confidence) }
            if let id = object.id { json.field("track_id") { $0.number(id) } }
        }
        return (annotationCount == 1 ? "\n" : ",\n") + json.text
    }

    private func image(of result: StreamResult) -> String {
        let number = "\(result.index + 1)"
        var json = JSONText()
        json.object { json in
            json.field("id") { $0.number(result.index + 1) }
            // The name of the frame where frames are written as pictures.
            json.field("file_name") {
                $0.string(String(repeating: "0", count: max(6 - number.count, 0)) + number + ".jpg")
            }
            json.field("width") { $0.number(result.size.width) }
            json.field("height") { $0.number(result.size.height) }
            json.field("time") { $0.number(result.timestamp.seconds) }
        }
        return json.text
    }
}
