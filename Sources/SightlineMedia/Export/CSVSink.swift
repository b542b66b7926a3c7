import Sightline
import TextFormatting

extension ResultFormat {
    /// A heading and then rows of comma-separated values (RFC 4180).
    ///
    /// Each label of a picture or of an object in a picture has a row; an object without labels has one row. Objects count from 1.
    /// Each object of a frame has one row with its most confident label; frames count from 0, and times are in seconds.
    public static let csv = ResultFormat(
        name: "csv",
        summary: "rows of comma-separated values, for spreadsheets",
        fileExtensions: ["csv"],
        kinds: [.objects, .labels, .frames]
    ) { options, write in CSVSink(kind: options.kind, write: write) }
}

/// Writes ``ResultFormat/csv``.
private struct CSVSink: ResultSink {
    let kind: ResultKind
    let write: ResultFormat.Writer

    func begin() throws {
        let heading =
            switch kind {
            case .objects:
                [
                    "image", "object", "x", "y", "width", "height", "confidence", "label", "label_index",
                    "label_confidence",
                ]
            case .labels:
                ["image", "label", "label_index", "label_confidence"]
            case .frames:
                [
                    "frame", "time", "id", "x", "y", "width", "height", "confidence", "label", "label_index",
                    "label_confidence", "detected", "age",
                ]
            }
        try write(CSVText.row(heading))
    }

    func append(_ record: ResultRecord) throws {
        let rows =
            switch record {
            case .picture(let picture): Self.rows(picture)
            case .frame(let result): result.objects.map { Self.row($0, in: result) }
            }
        if !rows.isEmpty { try write(rows.joined()) }
    }

    private static func rows(_ picture: PictureResult) -> [String] {
        guard case .success(let findings, _, _) = picture.outcome else { return [] }
        switch findings {
        case .labels(let labels):
            return labels.map { CSVText.row([picture.name] + fields($0)) }
        case .objects(let objects, _):
            return objects.enumerated().flatMap { number, object in
                let start = [picture.name, "\(number + 1)"] + fields(object.frame) + ["\(object.confidence)"]
                return object.labels.isEmpty
                    ? [CSVText.row(start + ["", "", ""])] : object.labels.map { CSVText.row(start + fields($0)) }
            }
        }
    }

    private static func row(_ object: DetectedObject, in result: StreamResult) -> String {
        let label = object.labels.first.map(fields) ?? ["", "", ""]
        return CSVText.row(
            ["\(result.index)", CSVText.thousandths(result.timestamp.seconds), object.id.map { "\($0)" } ?? ""]
                + fields(object.frame) + ["\(object.confidence)"] + label + [
                    object.track?.isDetected ?? true ? "1" : "0",
                    CSVText.thousandths((object.track?.age ?? .zero).seconds),
                ]
        )
    }

    private static func fields(_ frame: PixelRect) -> [String] {
        [frame.x, frame.y, frame.width, frame.height].map(CSVText.thousandths)
    }

    private static func fields(_ label: Label) -> [String] { [label.text, "\(label.index)", "\(label.confidence)"] }
}
