/// Frames of a stream that several workers observe ahead of their turn.
///
/// A lookahead belongs to one iterator; when the iterator is released, unfinished work is cancelled.
final class Lookahead {
    /// A frame that is being observed.
    struct Pending {
        let frame: VideoFrame
        let observation: Task<FrameObservation, any Error>
    }

    private let detector: StreamDetector
    private let count: Int
    private var pending: [Pending] = []
    /// A copy of the stream's schedule, which agrees with it as long as the size of frames does not change.
    private var schedule: DetectionSchedule

    /// Creates a lookahead; nil where it is of no use: with one worker, or if times that are not known yet decide on which
    /// frames the detector runs.
    init?(for detector: StreamDetector) {
        if case .budget = detector.options.cadence { return nil }
        guard detector.detection.workers > 1 else { return nil }
        self.detector = detector
        // One more than there are workers, so that none of them waits while a result is on its way.
        count = detector.detection.workers + 1
        schedule = DetectionSchedule(detector.options.cadence)
    }

    deinit {
        for frame in pending { frame.observation.cancel() }
    }

    /// Whether another frame should be added before the first one is taken.
    var isOpen: Bool { pending.count < count }

    func add(_ frame: VideoFrame) {
        let detects = schedule.isDue
        schedule.countFrame(detectionTime: detects ? .zero : nil)
        let detector = detector
        pending.append(
            Pending(frame: frame, observation: Task { try await detector.observe(frame, detects: detects) })
        )
    }

    /// The next frame in the order of the stream; nil if there is none.
    func takeFirst() -> Pending? { pending.isEmpty ? nil : pending.removeFirst() }
}
