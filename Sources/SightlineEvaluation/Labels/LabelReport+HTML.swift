import Sightline

extension LabelReport {
    /// The maximum number of pictures in a page: each has about ten kilobytes.
    static let maximumThumbnails = 60
    /// The maximum number of labels in a page's table.
    private static let maximumRows = 300

    /// The report as a self-contained HTML file: curves, tables, the confusion matrix, and the pictures with mistakes.
    ///
    /// - Parameters:
    ///   - files: The files of the pictures; for those that can no longer be read, the page shows only the names.
    ///   - choice: The threshold at which the labels are compared.
    public func html(pictures files: PictureFiles?, _ choice: ThresholdChoice = ThresholdChoice()) -> String {
        html(pictures: files, choice, preface: nil)
    }

    /// The report with a preface by the program that made the model.
    package func html(pictures files: PictureFiles?, _ choice: ThresholdChoice, preface: ReportPreface?) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        let shown = Array(mistakes.prefix(Self.maximumThumbnails))
        var page = ReportPage(
            title: preface?.title ?? "\(model.name) on \(source)",
            subtitle: """
                \(ReportNumbers.count(pictureCount, "picture")), \(ReportNumbers.count(modelLabelCount, "label")) · evaluated in \
                \(ReportNumbers.duration(seconds)) · SHA-256 <code>\(String(model.sha256.prefix(16)))…</code>
                """
        )
        if let preface { page.author = preface.author }
        page.sections = [
            ReportPage.figures(figures(at: threshold)), warnings, preface?.html(of: files) ?? "",
            ReportPage.section(
                "Choose a threshold",
                "The model answers only if its confidence is at least the threshold. Precision is the share of right answers "
                    + "among the answers; recall is the share of pictures with a right answer.",
                """
                <div class="plots">\(overall.plot(marking: threshold, best: bestThreshold).html)\(precisionPlot.html)</div>\
                \(thresholdTable(threshold))
                """
            ),
            ReportPage.section(
                "Labels",
                "At threshold \(ReportNumbers.threshold(threshold)); AP is the area under the label's own curve of precision and recall.",
                labelTable(threshold)
            ),
            ReportPage.section(
                "Confusion",
                "Each row is the label of the pictures, each column the model's answer at any confidence.",
                ConfusionMatrix(self, shown: shown).html
            ),
        ]
        if !shown.isEmpty {
            let more = mistakeCount > shown.count ? ", the \(shown.count) most confident" : ""
            page.sections.append(
                ReportPage.section(
                    "Mistakes",
                    "\(ReportNumbers.count(mistakeCount, "wrong answer"))\(more).",
                    #"<div class="pictures">\#(shown.enumerated().map { figure($1, number: $0, in: files) })</div>"#
                )
            )
        }
        page.sections.append(
            ReportPage.section(
                "Calibration",
                "The share of right answers by confidence. A calibrated model follows the diagonal.",
                #"<div class="plots">\#(calibrationPlot.html)\#(histogram.html)</div>"#
            )
        )
        return page.text
    }

    private var warnings: HTML {
        let sentences = [unknownFolders.sentence, skipped.sentence].compactMap(\.self)
        guard !sentences.isEmpty else { return "" }
        let list: [HTML] = skipped.pictures.dropFirst().prefix(20).map { "<li>\($0.path): \($0.reason)</li>" }
        let more: HTML? =
            list.isEmpty ? nil : "<details><summary>More skipped pictures</summary><ul>\(list)</ul></details>"
        return
            #"<section class="warn">\#(sentences.map { sentence -> HTML in "<p>\(sentence)</p>" })\#(more)</section>"#
    }

    private var precisionPlot: Plot {
        // From the highest threshold down, so that recall increases.
        let points = overall.points.reversed().filter { $0.answers > 0 }
        return Plot(
            title: "Precision by recall",
            xTitle: "recall",
            series: [.init(name: "all answers", color: 1, points: points.map { ($0.recall ?? 0, $0.precision) })]
        )
    }

    private var calibrationPlot: Plot {
        Plot(
            title: "Right answers by confidence",
            xTitle: "confidence",
            series: [
                .init(
                    name: "share of right answers",
                    color: 1,
                    points: calibration.map { ($0.confidence, $0.accuracy) }
                )
            ],
            hasDiagonal: true
        )
    }

    private var histogram: Plot {
        let total = Double(max(calibration.reduce(0) { $0 + $1.count }, 1))
        return Plot(
            title: "Confidence of the answers",
            xTitle: "confidence",
            series: [.init(name: "share of all answers", color: 1, points: [])],
            bars: calibration.map { ($0.lower, $0.upper, Double($0.count) / total) }
        )
    }

    private func thresholdTable(_ threshold: Double) -> HTML {
        var thresholds = Set((0..<10).map { Double($0) / 10 })
        thresholds.insert(threshold)
        let rows: [HTML] = thresholds.sorted().map { value in
            let point = overall.point(at: value)
            return """
                <tr class="\(value == threshold ? "chosen" : "")"><th scope="row">\(ReportNumbers.threshold(value))</th>\
                <td>\(point.answers)</td>\(ReportPage.bar(point.precision, ReportNumbers.percent(point.precision)))\
                \(ReportPage.bar(point.recall, ReportNumbers.percent(point.recall)))\
                \(ReportPage.bar(point.f1, ReportNumbers.percent(point.f1)))</tr>
                """
        }
        return ReportPage.table(["Threshold", "Answers", "Precision", "Recall", "F1"], rows, label: "Thresholds")
    }

    private func labelTable(_ threshold: Double) -> HTML {
        func f1(_ label: LabelResult) -> Double { label.curve.point(at: threshold).f1 ?? 0 }
        let sorted = labels.sorted { f1($0) < f1($1) }
        let rows: [HTML] = sorted.prefix(Self.maximumRows).map { label in
            let point = label.curve.point(at: threshold)
            return """
                <tr><th scope="row" title="\(label.name)">\(label.name)</th><td>\(label.pictureCount)</td>\
                \(ReportPage.bar(point.precision, ReportNumbers.percent(point.precision)))\
                \(ReportPage.bar(point.recall, ReportNumbers.percent(point.recall)))\
                \(ReportPage.bar(point.f1, ReportNumbers.percent(point.f1)))\
                \(ReportPage.bar(label.averagePrecision, ReportNumbers.percent(label.averagePrecision)))</tr>
                """
        }
        let table = ReportPage.table(
            ["Label", "Pictures", "Precision", "Recall", "F1", "AP"],
            rows,
            label: "Labels, worst first"
        )
        let rest = labels.count - rows.count
        return rest > 0 ? #"\#(table)<p class="note">And \#(rest) more with a better F1.</p>"# : table
    }

    private func figure(_ mistake: Mistake, number: Int, in files: PictureFiles?) -> HTML {
        let address = (try? files?.image(at: mistake.path)).flatMap { Thumbnail.address($0, side: 240) }
        let truth = mistake.truth ?? "no label"
        let picture: HTML =
            address.map { #"<img src="\#($0)" alt="\#(truth)" loading="lazy">"# }
            ?? #"<div class="missing">no picture</div>"#
        let answer: HTML =
            mistake.answers.first.map {
                #"<b class="bad">\#($0.name)</b> \#(ReportNumbers.percent(Double($0.confidence)))"#
            } ?? #"<b class="bad">no answer</b>"#
        return """
            <figure id="p\(number)">\(picture)<figcaption>\(answer)<br>is <b class="good">\(truth)</b>\
            <span class="path" title="\(mistake.path)">\(mistake.path)</span></figcaption></figure>
            """
    }
}
