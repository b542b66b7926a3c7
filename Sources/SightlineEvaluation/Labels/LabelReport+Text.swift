import TextFormatting

extension LabelReport {
    /// The maximum number of labels in a table; CSV contains all labels.
    private static let maximumRows = 60

    /// Tables for a terminal.
    public func text(_ choice: ThresholdChoice = ThresholdChoice()) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        return facts(threshold) + "\n" + thresholds(choice, chosen: threshold) + "\n" + labelTable(threshold) + notes
    }

    /// A row for each label, for spreadsheets.
    public func csv(_ choice: ThresholdChoice = ThresholdChoice()) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        var text = "label,pictures,threshold,answers,right,precision,recall,f1,average_precision\n"
        for label in labels {
            let point = label.curve.point(at: threshold)
            let numbers = [point.precision, point.recall, point.f1, label.averagePrecision]
            text += CSVText.row(
                [label.name, "\(point.wanted)", ReportNumbers.threshold(threshold)]
                    + ["\(point.answers)", "\(point.right)"]
                    + numbers.map { $0.map { ReportNumbers.fixed($0, 6) } ?? "" }
            )
        }
        return text
    }

    private func facts(_ threshold: Double) -> String {
        let rate = ReportNumbers.fixed(picturesPerSecond, picturesPerSecond < 10 ? 1 : 0)
        let others = pictureCount - labeledCount
        return ReportText.facts(
            [
                (
                    "Model",
                    "\(model.name), \(ReportNumbers.count(modelLabelCount, "label")), SHA-256 \(model.sha256.prefix(12))…"
                ),
                (
                    "Pictures",
                    "\(pictureCount) of \(source)" + (others > 0 ? ", \(others) without a label" : "")
                        + ", \(rate) pictures/s"
                ),
            ] + figures(at: threshold).compactMap(\.fact)
        )
    }

    private func thresholds(_ choice: ThresholdChoice, chosen: Double) -> String {
        var rows: [(Double, String)] = [(0, "every answer")]
        if let bestThreshold { rows.append((bestThreshold, "best F1")) }
        if let point = overall.lowest(precision: choice.precision) {
            rows.append((point.threshold, "precision ≥ \(ReportNumbers.fixed(choice.precision * 100, 0)) %"))
        }
        if let threshold = choice.threshold { rows.append((threshold, "requested")) }
        return TextTable(
            columns: [.number("THRESHOLD"), .number("PRECISION"), .number("RECALL"), .number("F1"), .text("")],
            rows: Set(rows.map(\.0)).sorted().map { threshold in
                let point = overall.point(at: threshold)
                let note = rows.filter { $0.0 == threshold }.map(\.1).joined(separator: ", ")
                return [
                    ReportNumbers.threshold(threshold), ReportNumbers.percent(point.precision),
                    ReportNumbers.percent(point.recall), ReportNumbers.percent(point.f1), note,
                ]
            }
        ).text
    }

    private func labelTable(_ threshold: Double) -> String {
        // With many labels, the worst are the most interesting.
        let shown =
            labels.count <= Self.maximumRows
            ? labels
            : Array(labels.sorted { f1($0, threshold) < f1($1, threshold) }.prefix(Self.maximumRows))
        var takenFor: [Int: (answer: Int, count: Int)] = [:]
        for cell in confusion {
            guard let truth = cell.truth, let answer = cell.answer, truth != answer, takenFor[truth] == nil else {
                continue
            }
            takenFor[truth] = (answer, cell.count)
        }
        let positions = Dictionary(labels.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let table = TextTable(
            columns: [
                .text("LABEL"), .number("PICTURES"), .number("PRECISION"), .number("RECALL"), .number("F1"),
                .number("AP"),
                .text("TAKEN FOR"),
            ],
            rows: shown.map { label in
                let point = label.curve.point(at: threshold)
                let wrong = positions[label.name].flatMap { takenFor[$0] }
                return [
                    label.name, "\(label.pictureCount)", ReportNumbers.percent(point.precision),
                    ReportNumbers.percent(point.recall), ReportNumbers.percent(point.f1),
                    ReportNumbers.percent(label.averagePrecision),
                    wrong.flatMap { cell in name(ofLabelAt: cell.answer).map { "\($0) (\(cell.count))" } } ?? "",
                ]
            }
        ).text
        let rest = labels.count - shown.count
        return table + (rest > 0 ? "… and \(rest) more with a better F1; use --format csv for all of them.\n" : "")
    }

    private func f1(_ label: LabelResult, _ threshold: Double) -> Double { label.curve.point(at: threshold).f1 ?? 0 }

    private var notes: String {
        ReportText.notes([unknownFolders.sentence, skipped.sentence])
    }
}
