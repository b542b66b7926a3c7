import TextFormatting

/// A figure of a report, with its names in the places that show it.
package struct ReportFigure: Sendable {
    /// A name on a page, and a few words below the value.
    package struct Caption: Sendable {
        package var name: String
        package var note: String

        package init(_ name: String, _ note: String) { (self.name, self.note) = (name, note) }
    }

    package var value: ReportValue
    /// The heading and the text on a terminal.
    var fact: (heading: String, text: String)?
    /// In the HTML file.
    var file: Caption?
    /// In the console.
    package var console: Caption?

    /// - Parameters:
    ///   - heading: The heading on a terminal; nil if the terminal does not show the figure.
    ///   - text: The text on a terminal; nil for the value.
    init(
        _ value: ReportValue,
        heading: String? = nil,
        text: String? = nil,
        file: Caption? = nil,
        console: Caption? = nil
    ) {
        self.value = value
        fact = heading.map { ($0, text ?? ReportNumbers.text(value)) }
        self.file = file
        self.console = console
    }
}

/// A number in a report.
package enum ReportValue: Sendable, Hashable {
    /// A percentage; nil if there is nothing to count.
    case share(Double?)
    /// A precision or recall, as COCO writes it; nil if there is nothing to count.
    case score(Double?)
    /// A confidence threshold; nil if there is none.
    case threshold(Double?)
    /// A number of things.
    case count(Int)
    /// Some of a number of things.
    case part(Int, of: Int)

    /// The number in the console, for example `12,345`.
    package var pageText: String {
        switch self {
        case .share(let share): NumberText.percent(share)
        case .score(let score): score.map { NumberText.decimal($0, 3) } ?? "–"
        case .threshold(let threshold): threshold.map { NumberText.decimal($0, 2) } ?? "–"
        case .count(let count): NumberText.grouped(count)
        case .part(let part, let whole): "\(NumberText.grouped(part)) of \(NumberText.grouped(whole))"
        }
    }
}

extension ReportNumbers {
    /// The number on a terminal and in an HTML file.
    static func text(_ value: ReportValue) -> String {
        switch value {
        case .share(let share): percent(share)
        case .score(let score): self.score(score)
        case .threshold(let threshold): threshold.map { self.threshold($0) } ?? "–"
        case .count(let count): "\(count)"
        case .part(let part, let whole): "\(part) of \(whole)"
        }
    }
}
