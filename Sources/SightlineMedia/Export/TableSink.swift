import Sightline
import TextFormatting

extension ResultFormat {
    /// Tables for people: a table for each picture, or for a stream a row for each object that `StreamHistory` gives.
    public static let table = ResultFormat(
        name: "table",
        summary: "a table for people; an object of a stream gets a row once it is gone",
        kinds: [.objects, .labels, .frames]
    ) { options, write in
        if options.kind == .frames { return TrackTableSink(write: write) }
        return PictureTableSink(showsNames: options.showsNames, write: write)
    }
}

/// Writes a table for each picture.
private struct PictureTableSink: ResultSink {
    let showsNames: Bool
    let write: ResultFormat.Writer
    private var isEmpty = true

    init(showsNames: Bool, write: @escaping ResultFormat.Writer) {
        self.showsNames = showsNames
        self.write = write
    }

    mutating func append(_ picture: PictureResult) throws {
        guard let size = picture.size else { return }
        let heading = "\(TerminalText.printable(picture.name)) (\(size.width) × \(size.height))\n"
        try write((showsNames ? (isEmpty ? "" : "\n") + heading : "") + Self.table(picture.outcome))
        isEmpty = false
    }

    private static func table(_ outcome: PictureResult.Outcome) -> String {
        switch outcome {
        case .failure:
            return ""
        case .objects(let result) where result.objects.isEmpty:
            return "no objects found\n"
        case .labels(let result) where result.labels.isEmpty:
            return "no labels found\(result.guess.flatMap(\.guess).map { "; \($0)" } ?? "")\n"
        case .labels(let result):
            // Such rows would say "0.0 %".
            let visible = result.labels.filter { $0.confidence >= 0.001 }
            let shown = visible.isEmpty ? result.labels.prefix(1) : visible[...]
            let table = TextTable(
                columns: [.text("LABEL"), .number("CONFIDENCE")],
                rows: shown.map { [$0.className, NumberText.percentage($0.confidence)] }
            )
            let hidden = result.labels.count - shown.count
            return table.text + (hidden > 0 ? "and \(hidden) more below 0.1 %\n" : "")
        case .objects(let result):
            let table = TextTable(
                columns: [
                    .text("OBJECT"), .number("CONFIDENCE"), .number("X"), .number("Y"), .number("WIDTH"),
                    .number("HEIGHT"),
                ],
                rows: result.objects.flatMap(rows)
            )
            return table.text + (result.omitted > 0 ? "and \(result.omitted) more\n" : "")
        }
    }

    /// One row for an object with at most one label. Further labels are below the object's row.
    private static func rows(_ object: DetectedObject) -> [[String]] {
        let frame = object.frame
        let numbers = [frame.x, frame.y, frame.width, frame.height].map { "\(Int($0.rounded()))" }
        if let label = object.labels.first, object.labels.count == 1 {
            return [[label.className, NumberText.percentage(label.confidence)] + numbers]
        }
        return [["object", NumberText.percentage(object.objectConfidence)] + numbers]
            + object.labels.map { ["  " + $0.className, NumberText.percentage($0.confidence), "", "", "", ""] }
    }
}

extension Label {
    /// The best guess for a picture without labels: `best: Pet 69.1 %, --threshold 0.69 shows it`; nil if hardly anything speaks for
    /// the label.
    package var guess: String? {
        guard let threshold = NumberText.threshold(showing: confidence) else { return nil }
        return "best: \(className) \(NumberText.percentage(confidence)), --threshold \(threshold) shows it"
    }
}

extension NumberText {
    /// The threshold of two or three digits that shows a confidence: `0.69` for 69.1 %; nil below 0.1 %.
    fileprivate static func threshold(showing confidence: Float) -> String? {
        let thousandths = Int((confidence * 1000).rounded(.down))
        guard (1...1000).contains(thousandths) else { return nil }
        if thousandths == 1000 { return "1" }
        let digits = String(thousandths < 10 ? thousandths : thousandths / 10)
        return "0." + String(repeating: "0", count: (thousandths < 10 ? 3 : 2) - digits.count) + digits
    }
}

/// Writes a row for each object of a stream that cannot come back.
private struct TrackTableSink: ResultSink {
    let write: ResultFormat.Writer
    private var hasHeading = false

    init(write: @escaping ResultFormat.Writer) { self.write = write }

    mutating func append(_ object: StreamObject) throws {
        let row = Self.row([
            "\(object.id)", object.label, ClockText.text(object.firstSeen), ClockText.text(object.lastSeen),
            ClockText.seconds(object.lastSeen - object.firstSeen), NumberText.percentage(object.confidence),
        ])
        let heading = Self.row(["ID", "LABEL", "FIRST SEEN", "LAST SEEN", "DURATION", "CONFIDENCE"])
        try write((hasHeading ? "" : heading) + row)
        hasHeading = true
    }

    /// Rows come one by one, so a column cannot be as wide as its widest cell.
    private static func row(_ cells: [String]) -> String {
        let widths = [6, 20, 12, 12, 10, 10]
        let padded = zip(cells, widths).enumerated().map { column, cell in
            let text = TerminalText.shortened(TerminalText.printable(cell.0), to: cell.1)
            let space = String(repeating: " ", count: max(cell.1 - TerminalText.width(text), 0))
            return column == 1 ? text + space : space + text
        }
        return padded.joined(separator: "  ") + "\n"
    }
}
