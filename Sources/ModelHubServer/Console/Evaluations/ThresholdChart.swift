import Foundation
import SightlineEvaluation
import TextFormatting

/// Precision and recall by threshold, as lines of a chart.
struct ThresholdChart: Sendable {
    struct Line: Sendable {
        var position: String
        var text: String
    }

    /// Lines through points, in the format of SVG's `points`.
    var precision: String
    var recall: String
    var horizontal: [Line]
    var vertical: [Line]
    var marker: String
    /// The curve in JSON, for the slider.
    var curve: String
    /// The contents of the chart in words.
    var summary: String

    /// The area of the lines in the chart's units; the script uses the same numbers.
    private static let (left, top, width, height) = (44.0, 12.0, 580.0, 240.0)

    init(_ curve: ThresholdCurve, at threshold: Double) {
        func x(_ value: Double) -> String { NumberText.decimal(Self.left + value * Self.width, 1) }
        func y(_ value: Double) -> String { NumberText.decimal(Self.top + (1 - value) * Self.height, 1) }
        let points = curve.points
        precision = points.compactMap { point in point.precision.map { "\(x(point.threshold)),\(y($0))" } }
            .joined(separator: " ")
        recall = points.compactMap { point in point.recall.map { "\(x(point.threshold)),\(y($0))" } }
            .joined(separator: " ")
        let ticks = [0, 0.25, 0.5, 0.75, 1]
        horizontal = ticks.map { Line(position: y($0), text: "\(Int($0 * 100)) %") }
        vertical = ticks.map { Line(position: x($0), text: NumberText.decimal($0, 2)) }
        marker = x(threshold)
        self.curve = Self.json(curve)
        let samples = [0, 0.25, 0.5, 0.75].map { threshold in
            let point = curve.point(at: threshold)
            return "at \(NumberText.decimal(threshold, 2)) precision \(NumberText.percent(point.precision)), recall "
                + NumberText.percent(point.recall)
        }
        summary = "Precision and recall by confidence threshold: " + samples.joined(separator: "; ") + "."
    }

    /// A curve for the script: `{"wanted": …, "steps": [[threshold in hundredths, answers, right], …]}`.
    static func json(_ curve: ThresholdCurve) -> String {
        (try? JSONEncoder().encode(curve)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
