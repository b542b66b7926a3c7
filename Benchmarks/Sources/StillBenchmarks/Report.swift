import Foundation

/// The results of a run, as a table and as JSON.
struct Report: Encodable {
    /// A contender in a row.
    struct Entry: Encodable {
        let benchmark: String
        let contender: String
        let medianMilliseconds: Double
        let p95Milliseconds: Double
        let bestMilliseconds: Double
        let ratioToFloor: Double
        let finding: String
    }

    private(set) var entries: [Entry] = []

    /// Adds a row; the first measurement is the floor. Returns its lines of the table.
    mutating func add(_ benchmark: Benchmark, _ measurements: [Measurement]) -> String {
        guard let floor = measurements.first else { return "" }
        let added = measurements.map { one in
            Entry(
                benchmark: benchmark.name,
                contender: one.contender,
                medianMilliseconds: one.median,
                p95Milliseconds: one.p95,
                bestMilliseconds: one.best,
                ratioToFloor: one.ratio(to: floor),
                finding: one.finding
            )
        }
        entries += added
        return added.map { entry in
            let numbers = String(
                format: "%8.2f  %6.2f×  %8.2f  %8.2f",
                entry.medianMilliseconds,
                entry.ratioToFloor,
                entry.p95Milliseconds,
                entry.bestMilliseconds
            )
            return "\(padded(entry.benchmark, 34))\(padded(entry.contender, 22))\(numbers)  \(entry.finding)"
        }.joined(separator: "\n")
    }

    /// The heading of the table.
    static let heading =
        "\(padded("benchmark", 34))\(padded("contender", 22))median ms   floor    p95 ms   best ms  found"

    /// The entries as JSON.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(entries)
    }
}

/// The text, filled with blanks up to a width.
private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 1))
}
