import Foundation
import Sightline

extension BoxReport {
    /// The maximum number of categories in a page's table.
    private static let maximumRows = 300
    /// The maximum number of pictures in a page: each has about thirty kilobytes.
    private static let maximumThumbnails = 36

    /// The report as a self-contained HTML file: curves, tables, and the pictures with mistakes and their boxes.
    ///
    /// - Parameters:
    ///   - files: The files of the pictures; unreadable pictures appear as boxes alone.
    ///   - choice: The threshold of the table of categories.
    public func html(pictures files: PictureFiles?, _ choice: ThresholdChoice = ThresholdChoice()) -> String {
        html(pictures: files, choice, preface: nil)
    }

    /// The report with a preface by the program that made the model.
    package func html(pictures files: PictureFiles?, _ choice: ThresholdChoice, preface: ReportPreface?) -> String {
        let threshold = choice.threshold ?? bestThreshold ?? 0
        let name = model?.name ?? detectionsSource ?? "detections"
        let hash: HTML? = model.map { " · SHA-256 <code>\(String($0.sha256.prefix(16)))…</code>" }
        let slices = slicePixels.map { ", also searched in slices of \($0) pixels" } ?? ""
        var page = ReportPage(
            title: preface?.title ?? "\(name) on \(source)",
            subtitle: """
                \(ReportNumbers.count(pictureCount, "picture")), \(ReportNumbers.count(objectCount, "object")), \
                \(ReportNumbers.count(crowdCount, "crowd"))\(slices) · evaluated in \(ReportNumbers.duration(seconds))\(hash)
                """
        )
        if let preface { page.author = preface.author }
        page.sections = [
            ReportPage.figures(figures(at: threshold)), warnings, preface?.html(of: files) ?? "",
            ReportPage.section(
                "Choose a threshold",
                "A detection is right if it \(comparison == .keypoints ? "has the points of" : "overlaps") an object of its category (\(measure) ≥ .50) that no more confident detection "
                    + "matches. Precision is the share of right detections; recall is the share of detected objects.",
                #"<div class="plots">\#(overall.plot(marking: threshold, best: bestThreshold).html)\#(precisionPlot.html)</div>"#
            ),
            ReportPage.section(
                "COCO's numbers",
                "As in pycocotools, AP and AR are means over categories and \(measure) thresholds. \"Any object\" merges all categories "
                    + "and ignores labels.",
                summaryTable
            ),
        ]
        if !categories.isEmpty {
            page.sections.append(
                ReportPage.section(
                    "Categories",
                    "Precision and recall at threshold \(ReportNumbers.threshold(threshold)), \(measure) .50.",
                    categoryTable(threshold)
                )
            )
        }
        let shown = self.pictures.prefix(Self.maximumThumbnails)
        if !shown.isEmpty {
            page.sections.append(
                ReportPage.section(
                    "Mistakes",
                    "The pictures with the most mistakes at threshold \(ReportNumbers.threshold(bestThreshold ?? 0.5)).",
                    """
                    <ul class="keys"><li><i class="right"></i>found</li><li><i class="wrong"></i>wrong: no such object, or another category</li>\
                    <li><i class="missed"></i>missed</li></ul>\
                    <div class="pictures wide">\(shown.map { figure($0, in: files) })</div>
                    """
                )
            )
        }
        return page.text
    }

    private var warnings: HTML {
        let sentences = [unknownLabels.sentence, skipped.sentence].compactMap(\.self)
        guard !sentences.isEmpty else { return "" }
        return #"<section class="warn">\#(sentences.map { sentence -> HTML in "<p>\(sentence)</p>" })</section>"#
    }

    private var precisionPlot: Plot {
        func points(_ precisions: [Double]) -> [(x: Double, y: Double?)] {
            zip(BoxScoring.recalls, precisions).map { ($0, $1) }
        }
        return Plot(
            title: "Precision by recall, mean of the categories",
            xTitle: "recall",
            series: [
                .init(name: "\(measure) .50", color: 1, points: points(precisionAtRecall.iou50)),
                .init(name: "\(measure) .75", color: 2, points: points(precisionAtRecall.iou75)),
                .init(name: "mean of .50:.05:.95", color: 3, points: points(precisionAtRecall.mean)),
            ]
        )
    }

    private var summaryTable: HTML {
        let rows = summaryRows.map { name, value -> HTML in
            let (byCategory, any) = (summary.flatMap(value), value(classAgnostic))
            return """
                <tr><th scope="row">\(name)</th>\(ReportPage.bar(byCategory, ReportNumbers.score(byCategory)))\
                \(ReportPage.bar(any, ReportNumbers.score(any)))</tr>
                """
        }
        let prominentRows = shownProminent.map { row -> HTML in
            let bar = ReportPage.bar(row.value, ReportNumbers.score(row.value))
            return #"<tr><th scope="row">\#(row.shortName)</th><td></td>\#(bar)</tr>"#
        }
        return ReportPage.table(["", "By category", "Any object"], rows + prominentRows, label: "COCO's numbers")
    }

    private func categoryTable(_ best: Double) -> HTML {
        let sorted = categories.sorted { ($0.ap ?? 2, $0.id) < ($1.ap ?? 2, $1.id) }
        let rows: [HTML] = sorted.prefix(Self.maximumRows).map { category in
            let point = category.curve.point(at: best)
            return """
                <tr><th scope="row" title="\(category.name)">\(category.name)</th><td>\(point.wanted)</td>\
                \(ReportPage.bar(category.ap, ReportNumbers.score(category.ap)))\
                \(ReportPage.bar(category.ap50, ReportNumbers.score(category.ap50)))\
                <td>\(ReportNumbers.score(category.ar100))</td>\
                <td>\(ReportNumbers.percent(point.precision))</td><td>\(ReportNumbers.percent(point.recall))</td></tr>
                """
        }
        return ReportPage.table(
            ["Category", "Objects", "AP", "AP50", "AR", "Precision", "Recall"],
            rows,
            label: "Categories, worst first"
        )
    }

    private func figure(_ picture: PictureResult, in files: PictureFiles?) -> HTML {
        let image = try? files?.image(at: picture.path)
        let size = image?.size ?? picture.size
        let address = image.flatMap { Thumbnail.address($0, side: 480) }
        let (width, height) = (Double(max(size.width, 1)), Double(max(size.height, 1)))
        let content: HTML? = address.map { #"<image href="\#($0)" width="\#(width)" height="\#(height)"/>"# }
        // Mistakes are drawn last, above everything else.
        let boxes: [HTML] = picture.boxes.reversed().map { box in
            """
            <rect class="\(box.outcome.rawValue)" x="\(box.frame.x)" y="\(box.frame.y)" width="\(max(box.frame.width, 0))" \
            height="\(max(box.frame.height, 0))"><title>\(Self.title(box))</title></rect>
            """
        }
        return """
            <figure><svg viewBox="0 0 \(width) \(height)" role="img" aria-label="\(picture.path)">\(content)\(boxes)</svg>\
            <figcaption>\(caption(picture, .wrong, "wrong", "bad"))\(caption(picture, .missed, "missed", "lost"))\
            <span class="path" title="\(picture.path)">\(picture.path)</span></figcaption></figure>
            """
    }

    private static func title(_ box: PictureBox) -> String {
        let confidence = box.confidence.map { " " + ReportNumbers.percent($0) } ?? ""
        return "\(box.outcome.rawValue): \(box.label)\(confidence)"
    }

    /// For example `missed: person × 3, chair`.
    private func caption(_ picture: PictureResult, _ outcome: PictureBox.Outcome, _ word: String, _ color: String)
        -> HTML?
    {
        var counts: [(name: String, count: Int)] = []
        for box in picture.boxes where box.outcome == outcome {
            if let index = counts.firstIndex(where: { $0.name == box.label }) {
                counts[index].count += 1
            } else {
                counts.append((box.label, 1))
            }
        }
        guard !counts.isEmpty else { return nil }
        let names = counts.prefix(6).map { $0.count > 1 ? "\($0.name) × \($0.count)" : $0.name }
        let text = names.joined(separator: ", ") + (counts.count > 6 ? " …" : "")
        return #"<b class="\#(color)">\#(word)</b> \#(text)<br>"#
    }
}
