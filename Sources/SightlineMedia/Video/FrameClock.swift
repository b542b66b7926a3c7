/// Turns a container's timestamps into rising times since the beginning of the stream.
///
/// - Valid timestamps are kept, and so is a variable frame rate.
/// - A frame without a timestamp follows the previous frame after the usual time of a frame. A live frame has the time of its arrival.
/// - A timestamp that repeats or goes back by less than a second is an error of one frame. That frame follows the previous frame
///   after one millisecond, and later frames keep their timestamps.
/// - A timestamp that goes back further, goes far beyond the stated end of the video, or jumps ahead (by more than 10 seconds in a live
///   stream, by more than an hour in a file) begins a new count. Its frame follows the previous frame after the usual time of a frame,
///   and later frames keep their distances to it.
struct FrameClock {
    /// The usual time between frames.
    private let frameDuration: Duration
    /// An impossible time of the video. It allows for stated durations that are too short.
    private let end: Duration?
    private let largestGap: Duration
    /// The offset of timestamps.
    private var shift = Duration.zero
    /// The time of the last frame.
    private(set) var last: Duration?
    /// The number of errors and new counts.
    private(set) var jumps = 0

    private static let slip = Duration.seconds(1)
    private static let afterSlip = Duration.milliseconds(1)

    init(frameRate: Double?, duration: Duration?, isLive: Bool, isSparse: Bool = false) {
        let rate = frameRate.flatMap { $0.isFinite && $0 >= 0.01 && $0 <= 10_000 ? $0 : nil } ?? 25
        frameDuration = .seconds(1 / rate)
        end = duration.map { $0 * 2 + .seconds(60) }
        largestGap = isLive && !isSparse ? .seconds(10) : .seconds(3600)
    }

    /// The time of a frame that was not decoded yet; nil if a jump before it could change that time.
    func expectedTime(stated: Duration) -> Duration? { shift == .zero && stated >= .zero ? stated : nil }

    /// Returns the time of the next frame.
    ///
    /// - Parameters:
    ///   - stated: the frame's timestamp, from the beginning of the stream.
    ///   - arrival: the arrival time of a live frame without a timestamp, from the beginning of the stream.
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

    /// Accepts any time for the next frame, after going to another time.
    mutating func forget() {
        last = nil
        shift = .zero
    }

    /// Sets the time between the last frame and the next frame, after a new connection.
    mutating func resume(after pause: Duration, stated: Duration?) {
        guard let last, let stated else { return }
        shift = last + max(pause, frameDuration) - stated
    }
}
