import Sightline
import SightlineMedia
import TextFormatting

extension CSVText {
    static let objectHeader = row([
        "image", "object", "x", "y", "width", "height", "confidence", "label", "label_index", "label_confidence",
    ])
    static let labelHeader = row(["image", "label", "label_index", "label_confidence"])

    /// One row per label; an object without labels has one row without them. Objects are numbered from 1.
    static func rows(_ findings: PictureRecord.Findings, image: String) -> String {
        switch findings {
        case .labels(let labels):
            return labels.map { row([image] + fields($0)) }.joined()
        case .objects(let objects, _):
            return objects.enumerated().map { number, object in
                let frame = [object.frame.x, object.frame.y, object.frame.width, object.frame.height].map {
                    "\(($0 * 1000).rounded() / 1000)"
                }
                let start = [image, "\(number + 1)"] + frame + ["\(object.confidence)"]
                return object.labels.isEmpty
                    ? row(start + ["", "", ""]) : object.labels.map { row(start + fields($0)) }.joined()
            }.joined()
        }
    }

    private static func fields(_ label: Label) -> [String] { [label.text, "\(label.index)", "\(label.confidence)"] }
}
