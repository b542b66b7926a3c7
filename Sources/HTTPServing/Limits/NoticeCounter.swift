/// Limits the log to one line per minute for each subject, such as a client, regardless of the number of events.
package struct NoticeCounter<Subject: Hashable & Sendable>: Sendable {
    private struct Notice {
        var time: ContinuousClock.Instant
        var unreported: Int
    }

    private var notices: RecentValues<Subject, Notice>

    /// - Parameter limit: The maximum number of subjects.
    package init(limit: Int = 4096) { notices = RecentValues(limit: limit) }

    /// Counts an event.
    ///
    /// - Returns: The number of events since the last line if it is time for another line.
    package mutating func count(_ subject: Subject, now: ContinuousClock.Instant = .now) -> Int? {
        guard var notice = notices[subject], now - notice.time < .seconds(60) else {
            let count = (notices[subject]?.unreported ?? 0) + 1
            notices[subject] = Notice(time: now, unreported: 0)
            return count
        }
        notice.unreported += 1
        notices[subject] = notice
        return nil
    }
}
