import Synchronization

/// The time of a database server, between two questions for it.
///
/// Hubs compare moments that other hubs recorded, for example to find out whether an evaluation's hub is still alive. The
/// clock of a machine that is wrong, or that jumps, must not decide that.
final class DatabaseClock: Sendable {
    private struct State {
        var time: Timestamp
        var instant: ContinuousClock.Instant
    }

    private let state: Mutex<State>

    /// Creates a clock from the server's time at an instant of this machine.
    init(_ time: Timestamp, at instant: ContinuousClock.Instant = .now) {
        state = Mutex(State(time: time, instant: instant))
    }

    /// Sets the clock to the server's time at an instant of this machine.
    func set(_ time: Timestamp, at instant: ContinuousClock.Instant) {
        state.withLock { $0 = State(time: time, instant: instant) }
    }

    /// The current time of the server.
    var now: Timestamp {
        let state = state.withLock { $0 }
        return state.time.advanced(by: .now - state.instant)
    }

    /// The query for the server's time in milliseconds since 1970.
    static let query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
}
