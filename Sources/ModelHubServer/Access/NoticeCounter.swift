/// Limits the log to one line per minute for each client, regardless of the number of events.
struct NoticeCounter: Sendable {
    private struct Notice {
        var time: ContinuousClock.Instant
        var unreported: Int
    }

    private var notices = RecentValues<ClientNetwork, Notice>(limit: 4096)

    /// Counts an event.
    ///
    /// - Returns: The number of events since the last line if another line is due.
    mutating func count(_ client: ClientNetwork, now: ContinuousClock.Instant = .now) -> Int? {
        guard var notice = notices[client], now - notice.time < .seconds(60) else {
            let count = (notices[client]?.unreported ?? 0) + 1
            notices[client] = Notice(time: now, unreported: 0)
            return count
        }
        notice.unreported += 1
        notices[client] = notice
        return nil
    }
}
