/// Lets one line a minute into the log for each client, however often something happens.
struct NoticeCounter: Sendable {
    private struct Notice {
        var time: ContinuousClock.Instant
        var unreported: Int
    }

    private var notices = RecentValues<ClientNetwork, Notice>(limit: 4096)

    /// Counts an event.
    ///
    /// - Returns: the number of events since the last line, if it is time for another one.
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
