import DurableFiles
import Foundation
import Synchronization

/// Notices that the hub's clock was set while the process runs. All copies of a hub share it.
final class HousekeepingClock: Sendable {
    private let comparison = Mutex(ClockComparison())

    /// Whether the hub's time has moved differently from the monotonic clock since the last call.
    func wasSet(_ time: Timestamp, at instant: ContinuousClock.Instant) -> Bool {
        comparison.withLock { $0.wasSet(Double(time.milliseconds) / 1000, at: instant) }
    }
}

/// The time for which the hub's clock has been right, as far as the hub knows, also over restarts.
struct ClockEra: Sendable, Hashable, Codable {
    /// The first moment after the clock was set; nil if it never was.
    private(set) var begin: Timestamp?
    /// The last moment.
    private(set) var last: Timestamp

    /// The time without trust after the clock was set. A hub that was off for longer waits for it too.
    private static let pause = Duration.seconds(7 * 24 * 3600)
    /// The differences of the clocks of a fleet.
    private static let tolerance = Duration.seconds(2)

    init(_ time: Timestamp) { last = time }

    /// Goes to another moment.
    ///
    /// - Parameter wasSet: Whether the clock is known to have been set since the last moment.
    /// - Returns: Whether the clock is trusted when something seems to be old enough to be removed.
    mutating func note(_ time: Timestamp, wasSet: Bool) -> Bool {
        let earliest = last.advanced(by: .zero - Self.tolerance), latest = last.advanced(by: Self.pause)
        if wasSet || time < earliest || time > latest { begin = time }
        last = time
        return begin.map { time >= $0.advanced(by: Self.pause) } ?? true
    }
}

extension HubRecords {
    /// Notes the time by the hub's clock.
    ///
    /// - Returns: Whether the clock is trusted when something seems to be old enough to be removed.
    func trustsClock(at time: Timestamp, wasSet: Bool) async throws -> Bool {
        try await database.write { db in
            let stored = try db.value(Data.self, "SELECT value FROM setting WHERE key = 'clock'")
            var era = stored.flatMap { try? JSONDecoder().decode(ClockEra.self, from: $0) } ?? ClockEra(time)
            let isTrusted = era.note(time, wasSet: wasSet)
            _ = try db.insert(
                ["key": "clock", "value": try JSONEncoder().encode(era)],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
            return isTrusted
        }
    }
}
