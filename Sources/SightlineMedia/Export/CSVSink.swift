import Foundation
import Sightline
import TextFormatting

extension ResultFormat {
    /// A heading and then rows of comma-separated values (RFC 4180).
    ///
    /// Each label of a picture or of an object in a picture has a row; an object without labels has one row. A picture without
    /// results has one row with empty values, and a failed picture has the reason in the last column. Objects count from 1.
    /// Each object of a frame has one row with its most confident label; frames count from 0, and times are in seconds.
    public static let csv = ResultFormat(
        name: "csv",
        summary: "rows of comma-separated values, for spreadsheets",
        fileExtensions: ["csv"],
        kinds: [.objects, .labels, .frames],
        holdsFailures: true
    ) { options, write in CSVSink(kind: options.kind, write: write) }
    .resuming(CSVSink.earlierResults)
}

/// Writes ``ResultFormat/csv``.
private struct CSVSink: ResultSink {
    let kind: ResultKind
    let write: ResultFormat.Writer

    func begin() throws { try write(CSVText.row(Self.heading(of: kind))) }

    /// The pictures of a file, without the last picture, of which rows may be missing.
    @Sendable static func earlierResults(in file: URL, kind: ResultKind) throws(MediaError) -> EarlierResults {
        let heading = Data(CSVText.row(heading(of: kind)).utf8.dropLast())
        var (last, start, isHeading) = ("", 0, true)
        var results = try EarlierResults(in: file, quotesHoldLines: true) { (row) throws(MediaError) in
            guard !isHeading else {
                isHeading = false
                guard row == heading else {
                    throw .otherContents(
                        path: file.path(percentEncoded: false),
                        reason: "it has other columns than these results"
                    )
                }
                return nil
            }
            let name = CSVText.firstField(of: String(decoding: row, as: UTF8.self))
            if name != last { (last, start) = (name, row.startIndex) }
            // The reason why a picture failed is in the last column.
            return (name, row.last != UInt8(ascii: ","))
        }
        if start > 0 { results.removeLast(last, from: start) }
        return results
    }

    private static func heading(of kind: ResultKind) -> [String] {
        switch kind {
        case .objects:
            [
                "image", "object", "x", "y", "width", "height", "confidence", "label", "label_index",
                "label_confidence", "error",
            ]
        case .labels:
            ["image", "label", "label_index", "label_confidence", "error"]
        case .frames:
            [
                "frame", "time", "id", "x", "y", "width", "height", "confidence", "label", "label_index",
                "label_confidence", "detected", "age",
            ]
        }
    }

    func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        if !frame.objects.isEmpty { try write(frame.objects.map { Self.row($0, in: frame) }.joined()) }
    }

    func append(_ picture: PictureResult) throws {
        let results: [[String]]
        var reason = ""
        switch picture.outcome {
        case .failure(let sentence): (results, reason) = ([], sentence)
        case .labels(let result): results = result.labels.map(Self.fields)
        case .objects(let result): results = result.objects.enumerated().flatMap(Self.fields)
        }
        let none = [String](repeating: "", count: kind == .labels ? Self.labelColumns : Self.objectColumns)
        try write((results.isEmpty ? [none] : results).map { CSVText.row([picture.name] + $0 + [reason]) }.joined())
    }

    /// The values of an object, once for each of its labels.
    private static func fields(number: Int, of object: DetectedObject) -> [[String]] {
        let start = ["\(number + 1)"] + fields(object.frame) + ["\(object.confidence)"]
        let labels = object.labels.map { fields($0) }
        return (labels.isEmpty ? [[String](repeating: "", count: labelColumns)] : labels).map { start + $0 }
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

    /// The number of columns of a label, and of an object with its label.
    private static let labelColumns = 3, objectColumns = 9

    private static func fields(_ label: Label) -> [String] { [label.text, "\(label.index)", "\(label.confidence)"] }
}
