import Sightline
import SightlineMedia
import TextFormatting

/// Prints records as they come, in one of the formats.
struct RecordPrinter {
    let format: PictureFormatName
    /// Whether each picture's table is headed by its name.
    let showsNames: Bool
    private var count = 0

    init(format: PictureFormatName, showsNames: Bool) {
        self.format = format
        self.showsNames = showsNames
    }

    /// What comes before the first record.
    func start(_ kind: FindingsKind) -> String {
        switch format {
        case .table, .jsonl: ""
        case .json: "["
        case .csv: kind == .objects ? CSVText.objectHeader : CSVText.labelHeader
        }
    }

    /// The text of one record; a failed picture has none in a table or CSV.
    mutating func text(_ record: PictureRecord) -> String {
        switch (format, record.outcome) {
        case (.jsonl, _):
            return JSONText(record).text + "\n"
        case (.json, _):
            count += 1
            return (count == 1 ? "\n" : ",\n") + JSONText(record).text
        case (.csv, .found(let findings, _, _)):
            return CSVText.rows(findings, image: record.image)
        case (.table, .found(let findings, let size, _)):
            count += 1
            let heading = "\(TerminalText.printable(record.image)) (\(size.width) × \(size.height))\n"
            return (showsNames ? (count == 1 ? "" : "\n") + heading : "") + table(findings)
        case (.csv, .failed), (.table, .failed):
            return ""
        }
    }

    /// What comes after the last record.
    func end() -> String {
        format == .json ? (count == 0 ? "]\n" : "\n]\n") : ""
    }

    private func table(_ findings: PictureRecord.Findings) -> String {
        switch findings {
        case .objects(let objects, _) where objects.isEmpty:
            return "no objects found\n"
        case .labels(let labels) where labels.isEmpty:
            return "no labels found\n"
        case .labels(let labels):
            return TextTable(
                columns: [.text("LABEL"), .number("CONFIDENCE")],
                rows: labels.map { [$0.displayText, NumberText.percentage($0.confidence)] }
            ).text
        case .objects(let objects, let omitted):
            let table = TextTable(
                columns: [
                    .text("OBJECT"), .number("CONFIDENCE"), .number("X"), .number("Y"), .number("WIDTH"),
                    .number("HEIGHT"),
                ],
                rows: objects.flatMap(rows)
            )
            return table.text + (omitted > 0 ? "and \(omitted) more\n" : "")
        }
    }

    /// One row for an object that the detector named itself; otherwise the classifier's labels stand below it.
    private func rows(_ object: DetectedObject) -> [[String]] {
        let frame = object.frame
        let numbers = [frame.x, frame.y, frame.width, frame.height].map { "\(Int($0.rounded()))" }
        guard let best = object.labels.first else {
            return [["object", NumberText.percentage(object.confidence)] + numbers]
        }
        // With a classifier the label's confidence is not the object's.
        let isOwnClass = object.labels.count == 1 && best.confidence == object.confidence
        if isOwnClass { return [[best.displayText, NumberText.percentage(object.confidence)] + numbers] }
        return [["object", NumberText.percentage(object.confidence)] + numbers]
            + object.labels.map { ["  " + $0.displayText, NumberText.percentage($0.confidence), "", "", "", ""] }
    }
}

/// What a command gives for a picture.
enum FindingsKind {
    case objects, labels
}

extension Label {
    /// The name, or the class number where the model has no names.
    var displayText: String { text.isEmpty ? "class \(index)" : text }
}
