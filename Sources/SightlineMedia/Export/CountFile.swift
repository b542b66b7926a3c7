import Foundation
import Sightline
import TextFormatting

/// Writes the counts of a stream by period as rows of CSV, each period when it has ended.
///
/// The columns are `start`, `end`, `place`, `label`, `entered`, `left` and `mean_inside`: `place` is the name of a line or zone, and a line
/// has no mean. Times are seconds from the beginning of the stream, or dates (ISO 8601, UTC) if the date of its beginning is known; periods
/// then end with the full hour or day of the local time zone.
public struct CountFile: Sendable {
    private let file: TextFile
    private let beginning: Date?
    private var counts: PeriodCounts
    /// Rows that the disk did not take yet.
    private var unwritten = ""

    /// The largest size of rows that wait for the disk, in bytes.
    private static let mostUnwritten = 1 << 20

    /// Creates a file, or empties an existing file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - history: the lines and zones.
    ///   - period: the length of a period, at least a second.
    ///   - beginning: the date at which a live stream began; nil for a video.
    ///   - continuesEarlier: whether the rows follow those of an existing file.
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public init(
        _ url: URL,
        of history: StreamHistory,
        period: Duration,
        beginning: Date? = nil,
        continuesEarlier: Bool = false
    ) throws(MediaError) {
        file = continuesEarlier ? try TextFile(continuing: url) : try TextFile(url)
        self.beginning = beginning
        counts = PeriodCounts(of: history, period: period, first: beginning.map { Self.rest(of: period, at: $0) })
        guard file.isEmpty else { return }
        try file.write(
            CSVText.row(["start", "end", "place", "label", "entered", "left", "mean_inside"])
        )
    }

    /// Adds the events of a frame. Rows that cannot be written are written with the next ones, up to a megabyte of them.
    ///
    /// - Parameters:
    ///   - events: the events of the frame.
    ///   - time: the time of the frame.
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public mutating func append(_ events: [StreamEvent], until time: Duration) throws(MediaError) {
        try write(counts.add(events, until: time))
    }

    /// Writes the last period.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public mutating func finish() throws(MediaError) { try write(counts.finish()) }

    private mutating func write(_ rows: [PeriodCounts.Row]) throws(MediaError) {
        guard !rows.isEmpty || !unwritten.isEmpty else { return }
        let texts = rows.map { row in
            CSVText.row([
                text(row.start), text(row.end), row.place, row.label, "\(row.entered)", "\(row.left)",
                row.meanInside.map(CSVText.thousandths) ?? "",
            ])
        }
        unwritten += texts.joined()
        do throws(MediaError) {
            try file.write(unwritten)
        } catch {
            if unwritten.utf8.count > Self.mostUnwritten { unwritten = "" }
            throw error
        }
        unwritten = ""
    }

    private func text(_ time: Duration) -> String {
        guard let beginning else { return CSVText.thousandths(time.seconds) }
        return beginning.addingTimeInterval(time.seconds).formatted(.iso8601)
    }

    /// The time from a date to the end of its period.
    private static func rest(of period: Duration, at date: Date) -> Duration {
        let local = date.timeIntervalSince1970 + Double(TimeZone.current.secondsFromGMT(for: date))
        let passed = local.truncatingRemainder(dividingBy: period.seconds)
        return .seconds(period.seconds - passed)
    }
}
