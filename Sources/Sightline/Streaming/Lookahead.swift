/// Frames of a stream that several workers look at ahead of their turn.
///
/// Belongs to one iterator; when that is gone, work that nobody waits for any more is cancelled.
final class Lookahead {
    /// A frame that is being looked at.
    struct Pending {
        let frame: VideoFrame
        let view: Task<FrameView, any Error>
    }

    private let detector: StreamDetector
    private let count: Int
    private var pending: [Pending] = []
    /// What the stream's own schedule will say, as long as the size of frames does not change.
    private var schedule: DetectionSchedule

    /// - Returns: nil where looking ahead is of no use: with one worker, or if times that are not known yet decide which
    ///   frames the detector sees.
    init?(for detector: StreamDetector) {
        let options = detector.options
        if case .budget = options.cadence { return nil }
        guard options.detection.workers > 1 else { return nil }
        self.detector = detector
        // One more than there are workers, so that none of them waits while a result is on its way.
        count = options.detection.workers + 1
        schedule = DetectionSchedule(options.cadence)
    }

    deinit {
        for one in pending { one.view.cancel() }
    }

    /// Whether another frame should be added before the first one is taken.
    var isOpen: Bool { pending.count < count }

    func add(_ frame: VideoFrame) {
        let detects = schedule.isDue
        schedule.countFrame(detectionTime: detects ? .zero : nil)
        let detector = detector
        pending.append(
            Pending(frame: frame, view: Task { try await detector.view(of: frame, detects: detects) })
        )
    }

    /// The next frame in the order of the stream; nil if there is none.
    func takeFirst() -> Pending? { pending.isEmpty ? nil : pending.removeFirst() }
}
