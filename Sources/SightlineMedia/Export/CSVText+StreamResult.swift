import Sightline
import TextFormatting

extension CSVText {
    /// The heading of ``ExportFormat/csv``.
    static let resultHeader = row([
        "frame", "time", "id", "x", "y", "width", "height", "confidence", "label", "label_index", "label_confidence",
        "detected", "age",
    ])

    /// A row for each object of a frame. Frames count from 0; times are in seconds.
    static func rows(_ result: StreamResult) -> String {
        result.objects.map { object in
            let frame = [object.frame.x, object.frame.y, object.frame.width, object.frame.height].map(thousandths)
            let label = object.labels.first.map { [$0.text, "\($0.index)", "\($0.confidence)"] } ?? ["", "", ""]
            return row(
                ["\(result.index)", thousandths(result.timestamp.seconds), "\(object.id.map(String.init) ?? "")"]
                    + frame
                    + ["\(object.confidence)"] + label + [
                        object.track?.isDetected ?? true ? "1" : "0", thousandths((object.track?.age ?? .zero).seconds),
                    ]
            )
        }.joined()
    }
}
