/// Frames of a stream that several workers observe ahead of their turn.
///
/// A lookahead belongs to one iterator; when the iterator is released, unfinished work is cancelled.
final class Lookahead {
    /// A frame that is being observed.
    struct Pending {
        let frame: VideoFrame
        let observation: Task<FrameObservation, any Error>
        let role: FrameRole
    }

    private let detector: StreamDetector
    /// The largest numbers of waiting frames: of all, and of those that need a worker for long.
    private let limits: (all: Int, detections: Int)
    private var pending: [Pending] = []

    /// Creates a lookahead; nil where it is of no use: with one worker, or if times or objects that are not known yet decide on
    /// which frames the detector runs.
    init?(for detector: StreamDetector) {
        if case .budget = detector.options.cadence { return nil }
        guard detector.detection.workers > 1, !detector.options.waitsForMotion else { return nil }
        self.detector = detector
        // One more than there are workers, so that none of them waits while a result is on its way.
        let detections = detector.detection.workers + 1
        limits = (4 * detections, detections)
    }

    deinit {
        for frame in pending { frame.observation.cancel() }
    }

    /// Whether another frame should be added before the first one is taken.
    var isOpen: Bool {
        pending.count < limits.all && pending.count(where: { $0.role == .detection }) < limits.detections
    }

    func add(_ frame: VideoFrame) async throws {
        let detector = detector
        let role = try await detector.role(of: frame)
        let observation = Task { try await detector.observe(frame, as: role) }
        pending.append(Pending(frame: frame, observation: observation, role: role))
    }

    /// The next frame in the order of the stream; nil if there is none.
    func takeFirst() -> Pending? { pending.isEmpty ? nil : pending.removeFirst() }
}
