import Sightline

/// The numbers of a camera.
struct CameraMetrics: Sendable {
    /// Whether the camera gives pictures.
    private(set) var isConnected = false
    /// The number of connections.
    private(set) var connections = 0
    /// The number of failures since the last connection.
    private(set) var failures = 0
    /// The number of analyzed frames, and of those with detection.
    private(set) var (frames, detections) = (0, 0)
    /// The number of frames dropped because the workers were busy.
    private(set) var dropped = 0
    private var droppedBefore = 0
    /// The time of the last frame.
    private(set) var lastTime = Duration.zero
    /// The total time from the arrival of frames to their results.
    private(set) var delay = Duration.zero
    /// The number of frames whose result came later than each of these times.
    private(set) var late: [Duration: Int] = [:]
    /// The numbers of events, by name.
    private(set) var events: [String: Int] = [:]
    /// The number of pictures that could not be written.
    private(set) var failedPictures = 0
    /// Whether something was lost permanently.
    var isIncomplete = false

    /// The times that ``late`` has.
    static let lateness: [Duration] = [
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
    ]

    mutating func connect() {
        isConnected = true
        connections += 1
        failures = 0
        droppedBefore = dropped
    }

    mutating func disconnect() {
        isConnected = false
        failures += 1
    }

    mutating func add(_ result: StreamResult, delay: Duration) {
        frames += 1
        if result.isDetected { detections += 1 }
        dropped = droppedBefore + result.droppedFrames
        lastTime = result.timestamp
        self.delay += delay
        for time in Self.lateness where delay > time { late[time, default: 0] += 1 }
    }
    mutating func add(_ happening: StreamDesk.Happening) {
        for event in happening.events { events[event.name, default: 0] += 1 }
        if happening.pictureFailure != nil { failedPictures += 1 }
    }
}
