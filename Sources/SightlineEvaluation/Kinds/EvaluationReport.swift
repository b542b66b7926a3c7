import Foundation

/// The parts of a report that commands and pages show of every kind.
package protocol EvaluationReport: Sendable, Codable {
    /// The unit that the curve counts: pictures or objects.
    static var unit: String { get }

    /// The number of evaluated pictures.
    var pictureCount: Int { get }
    /// The pictures that could not be used.
    var skipped: SkippedPictures { get }
    /// A sentence about the names that the pictures and the model do not share; nil if they share all.
    var warning: String? { get }
    /// The main figure, 0…1; nil if there is none.
    var score: Double? { get }
    /// All answers by threshold.
    var overall: ThresholdCurve { get }
    /// The labels or categories.
    var classes: ReportClasses { get }
    /// The answers for the pictures of each label; nil if the kind does not count them.
    var confusionCells: [LabelReport.ConfusionCell]? { get }
    /// The pictures with the most mistakes, worst first; nil if the kind does not keep their boxes.
    var boxPictures: [BoxReport.PictureResult]? { get }

    /// The figures, in the order in which they are shown.
    ///
    /// - Parameter threshold: The threshold at which the report is shown.
    func figures(at threshold: Double) -> [ReportFigure]

    /// Gives the model another name than that of its file.
    mutating func nameModel(_ name: String)

    /// Checks a report from another process, which may be inconsistent.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    func check() throws(EvaluationError)

    /// Tables for a terminal.
    func text(_ choice: ThresholdChoice) -> String
    /// A row for each label or category, for spreadsheets.
    func csv(_ choice: ThresholdChoice) -> String
    /// A self-contained HTML file.
    func html(pictures: PictureFiles?, _ choice: ThresholdChoice) -> String
}

extension EvaluationReport {
    package var confusionCells: [LabelReport.ConfusionCell]? { nil }
    package var boxPictures: [BoxReport.PictureResult]? { nil }

    /// Reads and checks a report that another process wrote.
    ///
    /// - Parameter json: The output of `JSONEncoder` for a report.
    /// - Throws: `EvaluationError.malformedReport`.
    package init(json: Data) throws(EvaluationError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch {
            throw .malformedReport(reason: "it is not the JSON of a report")
        }
        try check()
    }
}

/// The labels or categories of a report, each with its curve.
package struct ReportClasses: Sendable {
    /// A label or category.
    package struct Row: Sendable {
        package var name: String
        /// The values of the columns.
        package var values: [ReportValue]
        package var curve: ThresholdCurve
    }

    /// The plural name, for example `Labels`.
    package var title: String
    /// The singular name, for example `Label`.
    package var noun: String
    /// The name of their common curve.
    package var together: String
    /// The whole of which recall is the share.
    package var recall: String
    /// The names of the columns.
    package var columns: [String]
    package var rows: [Row]
}

/// The threshold at which a report is shown.
public struct ThresholdChoice: Sendable, Hashable {
    /// The threshold of the table of labels or categories; nil for the threshold with the best F1.
    public var threshold: Double?
    /// The precision for which a report of labels prints the lowest threshold.
    public var precision: Double

    /// Creates a choice.
    public init(threshold: Double? = nil, precision: Double = 0.9) {
        self.threshold = threshold
        self.precision = precision
    }
}
