import DurableFiles
import Foundation
import Sightline
import TextFormatting

/// Writes the counts of a stream by period as rows of CSV, each period when it has ended.
///
/// The columns are `start`, `end`, `place`, `label`, `entered`, `left` and `mean_inside`: `place` is the name of a line or zone, and a line
/// has no mean. Of a thing, `label` is a state, `entered` and `left` are its changes to the state and from it, and `mean_inside` is the share of
/// the period in which the thing was in it. The times of a video are seconds from its beginning, and its file starts over. Those of a live stream are dates (ISO 8601,
/// UTC): its periods end with the full hour or day of a time zone, by the calendar and by the clock as it is then, and its rows follow those
/// of earlier runs.
///
/// The counts of a live stream's present period are kept beside the file, under its name with `.open` behind, from a second after a change on. If the program is killed,
/// the next ``CountFile`` for the file writes them as a row. A file has one writer at a time.
public struct CountFile: Sendable {
    private let file: TextFile
    private var counts: PeriodCounts
    /// Nil for a video.
    private var clock: PeriodClock?
    /// Nil for a video, and where there is no file but a pipe.
    private let open: OpenPeriodFile?
    /// Rows that the disk did not take yet.
    private var unwritten = ""
    /// Whether there are counts that the file beside this one lacks.
    private var isChanged = false
    /// The moment of the last write beside the file; nil before the first frame.
    private var saved: ContinuousClock.Instant?

    /// The largest size of rows that wait for the disk, in bytes.
    private static let mostUnwritten = 1 << 20
    /// The shortest times between writes beside the file: with another count, and with another time inside a zone.
    private static let (changeInterval, interval) = (Duration.seconds(1), Duration.seconds(10))

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - history: the lines and zones.
    ///   - period: the length of a period, at least a second.
    ///   - things: the names of things whose states are counted.
    ///   - timeZone: the time zone with whose full hours or days the periods of a live stream end; nil for a video.
    /// - Throws: `MediaError.unwritable`, `.diskFull`, or `.inUse` if another file of counts is open there.
    public init(
        _ url: URL,
        of history: StreamHistory,
        period: Duration,
        things: [String] = [],
        timeZone: TimeZone? = nil
    ) throws(MediaError) {
        file = timeZone == nil ? try TextFile(url) : try TextFile(continuing: url)
        open = timeZone != nil && file.isRegular ? OpenPeriodFile(beside: url) : nil
        clock = timeZone.map { PeriodClock(period, in: $0) }
        counts = PeriodCounts(of: history, period: timeZone == nil ? period : nil, things: things)
        let byteCount = file.byteCount
        if byteCount == 0 {
            unwritten = CSVText.row(["start", "end", "place", "label", "entered", "left", "mean_inside"])
        }
        if let open {
            unwritten += open.rows { start in
                let end = try? DurableFile.end(of: url.path(percentEncoded: false), size: max(byteCount - start, 0))
                return start < byteCount ? end ?? "" : ""
            }
        }
        try writeRows()
        open?.remove()
    }

    /// Adds the events of a frame. Rows that cannot be written are written with the next ones, up to a megabyte of them.
    ///
    /// - Parameters:
    ///   - events: the events of the frame.
    ///   - states: the states of things after the frame, by name.
    ///   - time: the time of the frame.
    ///   - date: the date of a live frame, by the clock as it is now.
    ///   - instant: the same moment by the monotonic clock, which shows whether the wall clock was set.
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public mutating func append(
        _ events: [StreamEvent],
        states: [String: String] = [:],
        until time: Duration,
        at date: Date = Date(),
        instant: ContinuousClock.Instant = .now
    ) throws(MediaError) {
        if let ended = clock?.advance(to: date, at: instant) {
            for dates in ended {
                let rows = counts.endPeriod(at: time - .seconds(date.timeIntervalSince(dates.end)))
                unwritten += Self.text(rows, dates)
                isChanged = true
            }
            if saved == nil {
                // The first period begins with the first frame, which may come long after the stream began.
                _ = counts.endPeriod(at: time)
                saved = instant
            }
        }
        unwritten += Self.text(counts.add(events, until: time))
        for (thing, state) in states { counts.show(state, of: thing, at: time) }
        try writeRows()
        if events.contains(where: \.isCounted) { isChanged = true }
        guard open != nil, let saved, instant - saved >= (isChanged ? Self.changeInterval : Self.interval) else {
            return
        }
        self.saved = instant
        try save()
    }

    /// Writes the counts of the present period beside the file, for example when a stream is lost and no frame follows for a while.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public mutating func save() throws(MediaError) {
        guard let open, let dates = clock?.presentUntilNow else { return }
        var copy = counts
        try open.write(unwritten + Self.text(copy.finish(), dates), after: file.byteCount)
        isChanged = false
    }

    /// Writes the last period.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public mutating func finish() throws(MediaError) {
        unwritten += Self.text(counts.finish(), clock?.presentUntilNow)
        try writeRows()
        open?.remove()
    }

    private mutating func writeRows() throws(MediaError) {
        guard !unwritten.isEmpty else { return }
        do throws(MediaError) {
            try file.write(unwritten)
        } catch {
            if unwritten.utf8.count > Self.mostUnwritten { unwritten = "" }
            throw error
        }
        unwritten = ""
    }

    /// Rows of CSV.
    ///
    /// - Parameter dates: the dates of the rows' period; nil for times.
    private static func text(_ rows: [PeriodCounts.Row], _ dates: PeriodClock.Dates? = nil) -> String {
        rows.map { row in
            CSVText.row([
                dates?.start.formatted(.iso8601) ?? CSVText.thousandths(row.start.seconds),
                dates?.end.formatted(.iso8601) ?? CSVText.thousandths(row.end.seconds), row.place, row.label,
                "\(row.entered)", "\(row.left)", row.meanInside.map(CSVText.thousandths) ?? "",
            ])
        }.joined()
    }
}

extension StreamEvent {
    /// Whether counts take the event.
    fileprivate var isCounted: Bool { if case .object = self { false } else { true } }
}
