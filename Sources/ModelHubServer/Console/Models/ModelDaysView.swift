import Foundation
import TextFormatting

/// The events of a model in the last days, as bars and a table.
struct ModelDaysView: Sendable {
    /// A chart with a bar for each day.
    struct Chart: Sendable {
        struct Bar: Sendable {
            var x: String
            var y: String
            var height: String
            var title: String
        }

        var title: String
        var bars: [Bar]
        var maximum: String
        /// The contents in words.
        var summary: String

        /// The width of a bar and its gap, and the height of the chart, in its units; the template has the same numbers.
        private static let (step, height) = (20.0, 96.0)

        init(_ title: String, _ noun: String, _ counts: [(day: String, count: Int)]) {
            self.title = title
            let greatest = counts.map(\.count).max() ?? 0
            maximum = NumberText.grouped(greatest)
            bars = counts.enumerated().filter { $0.element.count > 0 }.map { index, entry in
                let height = max(Double(entry.count) / Double(max(greatest, 1)) * Self.height, 2)
                return Bar(
                    x: NumberText.decimal(Double(index) * Self.step, 0),
                    y: NumberText.decimal(Self.height - height, 1),
                    height: NumberText.decimal(height, 1),
                    title: "\(entry.day): \(NumberText.grouped(entry.count, noun))"
                )
            }
            let total = counts.reduce(0) { $0 + $1.count }
            summary =
                "\(NumberText.grouped(total, noun)) in \(counts.count) days, at most \(NumberText.grouped(greatest)) on a day"
        }
    }

    struct Row: Sendable {
        var day: String
        var downloads: String
        var results: String
        var latency: String
    }

    var charts: [Chart]
    var first: String
    var last: String
    var rows: [Row]
    var count: String

    /// - Parameters:
    ///   - days: The days on which something happened.
    ///   - pending: The downloads of today that are not in the records yet.
    ///   - today: The last day.
    init(_ days: [ModelDay], pending: Int, today: Int) {
        var known = Dictionary(days.map { ($0.day, $0) }, uniquingKeysWith: { $1 })
        if pending > 0 { known[today, default: ModelDay(day: today)].downloads += pending }
        let shown = (0..<ModelDay.count).reversed().map { known[today - $0] ?? ModelDay(day: today - $0) }
        func text(_ day: Int) -> String { ConsoleText.day(Timestamp(day: day)) }
        charts = [
            Chart("Downloads", "download", shown.map { (text($0.day), $0.downloads) }),
            Chart("Reported results", "result", shown.map { (text($0.day), $0.results) }),
        ]
        first = text(today - ModelDay.count + 1)
        last = text(today)
        count = "\(ModelDay.count)"
        rows = shown.reversed().filter { $0.downloads + $0.results + $0.latencies > 0 }.map { day in
            Row(
                day: text(day.day),
                downloads: NumberText.grouped(day.downloads),
                results: NumberText.grouped(day.results),
                latency: day.latencies > 0
                    ? "\(NumberText.decimal(day.milliseconds / Double(day.latencies), 1)) ms" : "–"
            )
        }
    }
}
