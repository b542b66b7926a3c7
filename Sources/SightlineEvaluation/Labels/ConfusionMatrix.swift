/// The confusion matrix of a report's page. If there are many labels, it shows those with the most mistakes.
struct ConfusionMatrix {
    private let report: LabelReport
    private let counts: [Key: Int]
    /// The labels of its rows and columns, by position in the report.
    private let labels: [Int]
    /// The first picture on the page for each cell.
    private let anchors: [Key: Int]

    private struct Key: Hashable {
        let truth: Int?
        let answer: Int?
    }

    private static let maximumLabels = 30
    private static let maximumPairs = 30

    init(_ report: LabelReport, shown: [LabelReport.Mistake]) {
        self.report = report
        counts = Dictionary(
            report.confusion.map { (Key(truth: $0.truth, answer: $0.answer), $0.count) },
            uniquingKeysWith: { first, _ in first }
        )
        if report.labels.count <= Self.maximumLabels {
            labels = Array(report.labels.indices)
        } else {
            var wrong = [Int](repeating: 0, count: report.labels.count)
            for cell in report.confusion where cell.truth != cell.answer {
                for label in [cell.truth, cell.answer].compactMap(\.self) where wrong.indices.contains(label) {
                    wrong[label] += cell.count
                }
            }
            let worst = wrong.indices.sorted { (-wrong[$0], $0) < (-wrong[$1], $1) }
            labels = worst.prefix(Self.maximumLabels).sorted()
        }
        let positions = Dictionary(
            report.labels.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var anchors: [Key: Int] = [:]
        for (number, mistake) in shown.enumerated() {
            let key = Key(
                truth: mistake.truth.flatMap { positions[$0] },
                answer: mistake.answers.first.flatMap { positions[$0.name] }
            )
            if anchors[key] == nil { anchors[key] = number }
        }
        self.anchors = anchors
    }

    /// The matrix, and the most frequent confusions if it does not contain all labels.
    var html: HTML {
        var rows: [Int?] = labels.map(\.self)
        var columns = rows
        if report.confusion.contains(where: { $0.truth == nil }) { rows.append(nil) }
        if report.confusion.contains(where: { $0.answer == nil }) { columns.append(nil) }
        let head: [HTML] = columns.map { column in
            let name = report.name(ofLabelAt: column) ?? "no answer"
            return #"<th scope="col" title="\#(name)"><span>\#(name)</span></th>"#
        }
        let body: [HTML] = rows.map { row in
            let name = report.name(ofLabelAt: row) ?? "no label"
            let sum = report.confusion.reduce(0) { $0 + ($1.truth == row ? $1.count : 0) }
            return #"<tr><th scope="row" title="\#(name)">\#(name)</th>\#(columns.map { cell(row, $0, of: sum) })</tr>"#
        }
        let matrix: HTML = """
            <div class="scroll" tabindex="0" role="region" aria-label="Confusion matrix"><table class="matrix">\
            <thead><tr><th>actual ↓ predicted →</th>\(head)</tr></thead><tbody>\(body)</tbody></table></div>
            """
        guard labels.count < report.labels.count else { return matrix }
        return """
            <p class="note">The \(labels.count) labels with the most mistakes, of \(report.labels.count).</p>\(matrix)\
            <h3>Most frequent confusions</h3>\(pairs)
            """
    }

    private func cell(_ row: Int?, _ column: Int?, of sum: Int) -> HTML {
        let key = Key(truth: row, answer: column)
        let count = counts[key] ?? 0
        guard count > 0 else { return #"<td class="zero">0</td>"# }
        let share = Double(count) / Double(max(sum, 1))
        let isRight = row == column && row != nil
        let text: HTML = anchors[key].map { ##"<a href="#p\##($0)">\##(count)</a>"## } ?? "\(count)"
        return #"<td class="\#(isRight ? "right" : "wrong")" style="--v:\#(share)">\#(text)</td>"#
    }

    private var pairs: HTML {
        let wrong = report.confusion.filter { $0.truth != $0.answer }.prefix(Self.maximumPairs)
        let rows: [HTML] = wrong.map { cell in
            let truth = report.name(ofLabelAt: cell.truth) ?? "no label"
            let answer = report.name(ofLabelAt: cell.answer) ?? "no answer"
            return #"<tr><th scope="row">\#(truth)</th><td class="text">\#(answer)</td><td>\#(cell.count)</td></tr>"#
        }
        return ReportPage.table(["Actual", "Predicted", "Pictures"], rows, label: "Most frequent confusions")
    }
}
