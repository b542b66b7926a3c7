import TextFormatting

extension BoxReport {
    /// The maximum number of categories in a table; CSV contains all categories.
    private static let maximumRows = 100

    /// Tables for a terminal.
    public func text(_ choice: ThresholdChoice = ThresholdChoice()) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        return facts + "\n" + summaryTable + "\n" + thresholdTable(threshold)
            + (categories.isEmpty ? "" : "\n" + categoryTable(threshold))
            + ReportText.notes([unknownLabels.sentence, skipped.sentence])
    }

    /// A row for each category, for spreadsheets.
    public func csv(_ choice: ThresholdChoice = ThresholdChoice()) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        var text = "category,id,objects,ap,ap50,ap75,ar100,threshold,precision,recall\n"
        for category in categories {
            let point = category.curve.point(at: threshold)
            let scores = [category.ap, category.ap50, category.ap75, category.ar100]
            text += CSVText.row(
                [category.name, "\(category.id)", "\(point.wanted)"]
                    + scores.map { $0.map { ReportNumbers.fixed($0, 6) } ?? "" } + [ReportNumbers.threshold(threshold)]
                    + [point.precision, point.recall].map { $0.map { ReportNumbers.fixed($0, 6) } ?? "" }
            )
        }
        return text
    }

    private var facts: String {
        let rate = seconds > 0 ? Double(pictureCount) / seconds : 0
        var facts: [(String, String)] = []
        if let model { facts.append(("Model", "\(model.name), SHA-256 \(model.sha256.prefix(12))…")) }
        if let slicePixels { facts.append(("Slices", "\(slicePixels) pixels, besides the whole picture")) }
        if let detectionsSource { facts.append(("Detections", "\(detectionCount) of \(detectionsSource)")) }
        if comparison == .masks { facts.append(("Compared", "masks, as iouType segm of pycocotools")) }
        facts.append(
            (
                "Pictures",
                "\(pictureCount) of \(source) with \(ReportNumbers.count(objectCount, "object"))"
                    + (crowdCount > 0 ? " and \(ReportNumbers.count(crowdCount, "crowd"))" : "")
                    + (model == nil ? "" : ", \(ReportNumbers.fixed(rate, rate < 10 ? 1 : 0)) pictures/s")
            )
        )
        return ReportText.facts(facts)
    }

    private var summaryTable: String {
        let rows = summaryRows.map { name, value in
            [name] + [summary.flatMap(value), value(classAgnostic)].map { ReportNumbers.score($0) }
        }
        let prominentRows = shownProminent.map { [$0.name, "", ReportNumbers.score($0.value)] }
        return TextTable(
            columns: [.text(""), .number("BY CATEGORY"), .number("ANY OBJECT")],
            rows: rows + prominentRows
        ).text
    }

    private func thresholdTable(_ chosen: Double) -> String {
        var rows: [(Double, String)] = [(0, "all")]
        if let bestThreshold { rows.append((bestThreshold, "best F1")) }
        for threshold in [chosen, 0.5] where !rows.contains(where: { $0.0 == threshold }) {
            rows.append((threshold, ""))
        }
        return TextTable(
            columns: [
                .number("THRESHOLD"), .number("FOUND"), .number("PRECISION"), .number("RECALL"), .number("F1"),
                .text(""),
            ],
            rows: rows.sorted { $0.0 < $1.0 }.map { threshold, note in
                let point = overall.point(at: threshold)
                return [
                    ReportNumbers.threshold(threshold), "\(point.answers)", ReportNumbers.percent(point.precision),
                    ReportNumbers.percent(point.recall), ReportNumbers.percent(point.f1), note,
                ]
            }
        ).text
    }

    private func categoryTable(_ threshold: Double) -> String {
        let shown = categories.count <= Self.maximumRows ? categories : Array(categories.prefix(Self.maximumRows))
        let table = TextTable(
            columns: [
                .text("CATEGORY"), .number("OBJECTS"), .number("AP"), .number("AP50"), .number("AR"),
                .number("PRECISION"),
                .number("RECALL"),
            ],
            rows: shown.map { category in
                let point = category.curve.point(at: threshold)
                return [
                    category.name, "\(point.wanted)", ReportNumbers.score(category.ap),
                    ReportNumbers.score(category.ap50),
                    ReportNumbers.score(category.ar100), ReportNumbers.percent(point.precision),
                    ReportNumbers.percent(point.recall),
                ]
            }
        ).text
        let rest = categories.count - shown.count
        return table + "(Precision and recall at threshold \(ReportNumbers.threshold(threshold)), \(measure) .50.)\n"
            + (rest > 0 ? "… and \(rest) more; use --format csv for all of them.\n" : "")
    }
}
