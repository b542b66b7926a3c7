/// Turns the timestamps that a container states into times since the beginning of the stream that only ever rise.
///
/// - Times are kept as stated, so that a variable frame rate stays as it is.
/// - A frame without a timestamp follows the one before after a frame's usual time; a live one is timed by its arrival.
/// - A timestamp that stands still or goes back by less than a second is a slip of one frame: that frame is put one
///   millisecond after the one before, and those after it are as stated.
/// - One that goes back further, goes far beyond the stated end of the video, or leaps ahead (by more than 10 seconds in a live
///   stream, by more than an hour in a file) begins a new count: its frame follows the one before after a frame's
///   usual time, and those after it keep their distances to it.
struct FrameClock {
    /// How long a frame is usually shown.
    private let frameDuration: Duration
    /// What no time of the video can be. Stated durations are often too short, so that there is room.
    private let end: Duration?
    private let largestGap: Duration
    /// What is added to stated times.
    private var shift = Duration.zero
    /// The time of the last frame.
    private(set) var last: Duration?
    /// Slips and new counts.
    private(set) var jumps = 0

    private static let slip = Duration.seconds(1)
    private static let afterSlip = Duration.milliseconds(1)

    init(frameRate: Double?, duration: Duration?, isLive: Bool) {
        let rate = frameRate.flatMap { $0.isFinite && $0 >= 0.01 && $0 <= 10_000 ? $0 : nil } ?? 25
        frameDuration = .seconds(1 / rate)
        end = duration.map { $0 * 2 + .seconds(60) }
        largestGap = isLive ? .seconds(10) : .seconds(3600)
    }

    /// The time of the next frame.
    ///
    /// - Parameters:
    ///   - stated: its timestamp, from the stream's beginning.
    ///   - arrival: for frames of a live input without a timestamp, when they came, from the stream's beginning.
    mutating func time(stated: Duration?, arrival: Duration? = nil) -> Duration {
        let time = risingTime(stated: stated, arrival: arrival)
        last = time
        return time
    }

    private mutating func risingTime(stated: Duration?, arrival: Duration?) -> Duration {
        guard let stated else {
            guard let last else { return max(arrival ?? .zero, .zero) }
            return arrival.map { max($0, last + Self.afterSlip) } ?? last + frameDuration
        }
        let time = stated + shift
        guard let last else {
            if time >= .zero, end.map({ time <= $0 }) ?? true { return time }
            if time < .zero, time + Self.slip > .zero { return .zero }
            return restart(stated, at: .zero)
        }
        if time <= last {
            guard last - time >= Self.slip else {
                jumps += 1
                return last + Self.afterSlip
            }
            return restart(stated, at: last + frameDuration)
        }
        let isBeyondEnd = end.map { time > $0 && last <= $0 } ?? false
        if isBeyondEnd || time - last > largestGap { return restart(stated, at: last + frameDuration) }
        return time
    }

    private mutating func restart(_ stated: Duration, at time: Duration) -> Duration {
        jumps += 1
        shift = time - stated
        return time
    }

    /// Forgets the past: the next frame may have any time, as after going to another place.
    mutating func forget() {
        last = nil
        shift = .zero
    }

    /// The next frame comes so long after the last one, whatever it states, as after a new connection.
    mutating func resume(after pause: Duration, stated: Duration?) {
        guard let last, let stated else { return }
        shift = last + max(pause, frameDuration) - stated
    }
}
