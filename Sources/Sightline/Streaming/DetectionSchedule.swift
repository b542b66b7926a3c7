/// Decides on which frames the detector runs.
struct DetectionSchedule: Sendable {
    private let cadence: DetectionCadence
    /// Frames since the detector ran; nil if it has not yet.
    private var framesSince: Int?
    /// The time that detection has taken beyond the budget of the frames so far.
    private var debt = Duration.zero

    /// The largest number of frames between two detections, for any budget.
    private static let longestPause = 30

    init(_ cadence: DetectionCadence) {
        self.cadence = cadence
    }

    private var isDue: Bool {
        guard let framesSince else { return true }
        switch cadence {
        case .everyFrame: return true
        case .every(let count): return framesSince >= count
        case .budget: return debt <= .zero || framesSince >= Self.longestPause
        }
    }

    /// Whether the detector should run on the next frame, which counts from now on.
    ///
    /// - Parameter planned: the plan of the frame's reader; nil if the cadence decides.
    mutating func takesNextFrame(planned: Bool? = nil) -> Bool {
        let isDue = planned ?? isDue
        framesSince = isDue ? 1 : (framesSince ?? 0) + 1
        if !isDue { add(.zero) }
        return isDue
    }

    /// Counts the time that detection took on a frame of the schedule.
    mutating func add(_ detectionTime: Duration) {
        guard case .budget(let budget) = cadence else { return }
        debt = max(debt + detectionTime - budget, .zero)
    }

    /// Starts again; the detector runs on the next frame.
    mutating func reset() {
        (framesSince, debt) = (nil, .zero)
    }
}
