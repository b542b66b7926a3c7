import Sightline

/// Keeps the times of a camera close to the clock of this machine.
///
/// A camera's own clock may run fast or slow, jump, or begin again after a new connection. Times that differ by more than two seconds
/// from the time since the beginning are corrected; smaller differences are delays of the network, and stay.
struct LiveClock: Sendable {
    private let beginning: ContinuousClock.Instant
    /// The difference between times of the stream and those of its camera.
    private var offset: Duration?
    private var last: Duration?

    private static let tolerance = Duration.seconds(2)

    /// - Parameter beginning: when the stream began, before all connections.
    init(since beginning: ContinuousClock.Instant) { self.beginning = beginning }

    /// The time of the next frame since the beginning, later than that of the frame before.
    ///
    /// - Parameters:
    ///   - stated: the time of the frame by its camera.
    ///   - arrival: when the frame arrived.
    mutating func time(stated: Duration, arrival: ContinuousClock.Instant) -> Duration {
        let passed = arrival - beginning
        var time = stated + (offset ?? passed - stated)
        let difference = time - passed
        if difference > Self.tolerance || difference < .zero - Self.tolerance { time = passed }
        if let last { time = max(time, last + .milliseconds(1)) }
        offset = time - stated
        last = time
        return time
    }
}

/// The frames of a camera, with the times of a ``LiveClock``.
struct LiveFrames: AsyncSequence, Sendable {
    let frames: VideoFrames
    let beginning: ContinuousClock.Instant

    func makeAsyncIterator() -> Iterator {
        Iterator(frames: frames.makeAsyncIterator(), clock: LiveClock(since: beginning))
    }

    struct Iterator: AsyncIteratorProtocol {
        var frames: VideoFrames.Iterator
        var clock: LiveClock

        mutating func next() async throws -> VideoFrame? {
            guard let frame = try await frames.next() else { return nil }
            let arrival = ContinuousClock.now
            return frame.shown(at: clock.time(stated: frame.timestamp, arrival: arrival), arrival: arrival)
        }
    }
}
