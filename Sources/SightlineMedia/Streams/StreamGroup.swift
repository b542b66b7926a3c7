import DurableFiles
import Sightline

/// Follows the objects of several cameras or videos at once, with models that they share.
///
/// ```swift
/// let group = StreamGroup(workers: 2) { name, update in
///     if case .frame(let analyzed, _) = update { print(name, analyzed.result.objects.count) }
/// }
/// try await group.set([
///     .init("door", input: VideoInput("rtsp://door.local/")),
///     .init("yard", input: VideoInput("rtsp://yard.local/")),
/// ])
/// ```
///
/// Streams with the same models share their workers, which serve them in turn. A camera that fails, hangs, or is slow neither stops nor
/// slows the others; the group connects to it again for as long as it is a member. Of a camera, the newest frame is analyzed, and frames
/// that come while the workers are busy are dropped and counted. Of a file, all frames are analyzed, once.
public actor StreamGroup {
    /// A camera, an address or a file.
    public struct Stream: Sendable, Hashable {
        /// The name, unlike those of other streams of the group.
        public var name: String
        /// The source of the frames.
        public var input: VideoInput
        /// The settings of the reader.
        public var reading: VideoReaderOptions
        /// The models, and the objects to report. The group chooses the workers.
        public var detection: ObjectDetectorOptions
        /// The options for following objects.
        public var options: StreamDetectorOptions

        /// Creates a stream.
        public init(
            _ name: String,
            input: VideoInput,
            reading: VideoReaderOptions = VideoReaderOptions(),
            detection: ObjectDetectorOptions = ObjectDetectorOptions(),
            options: StreamDetectorOptions = StreamDetectorOptions()
        ) {
            (self.name, self.input, self.reading) = (name, input, reading)
            (self.detection, self.options) = (detection, options)
        }
    }

    /// An update of a stream.
    public enum Update: Sendable {
        /// The input is open.
        case connected(VideoInfo)
        /// A frame was analyzed, this long after it had arrived. Times count from the start of the stream in this group, and continue
        /// through new connections.
        case frame(AnalyzedFrame, delay: Duration)
        /// The camera is lost, or could not be reached; the group waits so long before it tries again. Identities end.
        case disconnected(reason: String, pause: Duration)
        /// The file is done, perhaps early for a reason; or it cannot be read.
        case ended(reason: String?)
        /// The stream is no longer a member.
        case removed
    }

    private struct Member {
        let stream: Stream
        let detector: StreamDetector
        let task: Task<Void, Never>
    }

    private let workers: Int
    private let receive: @Sendable (String, Update) async -> Void
    private var members: [String: Member] = [:]

    /// Creates a group without streams.
    ///
    /// - Parameters:
    ///   - workers: the number of frames that are analyzed at the same time by each model.
    ///   - receive: takes the updates of the stream with a name. Updates of one stream are delivered in order, those of several streams at
    ///     the same time; the stream waits for the function.
    public init(workers: Int = 1, receive: @escaping @Sendable (String, Update) async -> Void) {
        (self.workers, self.receive) = (max(workers, 1), receive)
    }

    deinit { for member in members.values { member.task.cancel() } }

    /// Sets the streams of the group: new ones begin, missing ones end, changed ones start over, and all others continue undisturbed, with
    /// their objects and identities.
    ///
    /// Reads and compiles models that the group does not have yet. Returns when removed streams have ended.
    ///
    /// - Parameter streams: all streams; of those with the same name, the last counts.
    /// - Throws: the errors of `StreamDetector`; then the group is unchanged.
    public func set(_ streams: [Stream]) async throws { try await set(streams, using: [:]) }

    /// Sets the streams of the group, with detectors that were made before.
    ///
    /// - Parameter prepared: the detectors of streams by name, from ``detector(for:workers:beside:)``; the others are made.
    package func set(_ streams: [Stream], using prepared: [String: StreamDetector]) async throws {
        let wanted = Dictionary(streams.map { ($0.name, $0) }) { $1 }
        var detectors: [String: StreamDetector] = [:]
        for stream in wanted.values where members[stream.name]?.stream != stream {
            let known = members.values.map(\.detector) + detectors.values
            if let detector = prepared[stream.name] {
                detectors[stream.name] = detector
            } else {
                detectors[stream.name] = try await Task(executorPreference: FileExecutor.shared) { [workers] in
                    try Self.detector(for: stream, workers: workers, beside: known)
                }.value
            }
        }
        for member in members.values where wanted[member.stream.name] != member.stream { await end(member) }
        for (name, detector) in detectors {
            guard let stream = wanted[name] else { continue }
            let task = Task { [receive] in await Self.follow(stream, detector, receive) }
            members[name] = Member(stream: stream, detector: detector, task: task)
        }
    }

    /// Ends all streams, and returns when they have ended.
    public func stop() async {
        for member in members.values { member.task.cancel() }
        for member in members.values { await end(member) }
    }

    /// Waits until all streams have ended, as files do.
    public func waitForEnd() async {
        for member in members.values { await member.task.value }
    }

    private func end(_ member: Member) async {
        members[member.stream.name] = nil
        member.task.cancel()
        await member.task.value
        await receive(member.stream.name, .removed)
    }

    /// The detector of a stream in a group, which shares the workers of another one with the same models. Compiles models, so that it takes
    /// a while.
    ///
    /// - Parameters:
    ///   - workers: the number of workers of the group.
    ///   - others: the detectors of other streams.
    /// - Throws: the errors of `StreamDetector`.
    package static func detector(
        for stream: Stream,
        workers: Int,
        beside others: [StreamDetector]
    ) throws -> StreamDetector {
        var detection = stream.detection
        (detection.workers, detection.threads) = (max(workers, 1), 1)
        if let other = try others.first(where: { try $0.canServe(detection, stream.options) }) {
            return try StreamDetector(sharing: other, detection: detection, options: stream.options)
        }
        return try StreamDetector(detection: detection, options: stream.options)
    }

    /// The pauses before new connections: 1, 2, 4, … seconds, at most this long.
    private static let longestPause = Duration.seconds(30)

    /// Analyzes a stream until its file ends, or until the task is cancelled.
    private static func follow(
        _ stream: Stream,
        _ detector: StreamDetector,
        _ receive: @Sendable (String, Update) async -> Void
    ) async {
        let beginning = ContinuousClock.now
        var pause = Duration.seconds(1)
        var hasEnd = stream.input.canBeReadAgain
        while !Task.isCancelled {
            var reason = "the stream ended."
            do {
                let reader = try await VideoReader.opening(stream.input, options: stream.reading)
                hasEnd = !reader.info.isLive
                await receive(stream.name, .connected(reader.info))
                guard reader.info.isLive else {
                    for try await analyzed in detector.results(in: reader.frames()) {
                        await receive(stream.name, .frame(analyzed, delay: .zero))
                    }
                    if Task.isCancelled { return }
                    return await receive(stream.name, .ended(reason: reader.statistics.earlyEnd))
                }
                let frames = LiveFrames(frames: reader.frames(), beginning: beginning)
                for try await analyzed in detector.results(in: frames, policy: .newest) {
                    pause = .seconds(1)
                    // The times of a camera's clock may run ahead of this machine's, so that they measure no delay.
                    let delay = analyzed.frame.arrival.map { ContinuousClock.now - $0 } ?? .zero
                    await receive(stream.name, .frame(analyzed, delay: delay))
                }
            } catch {
                reason = "\(error)"
            }
            if Task.isCancelled { return }
            guard !hasEnd else { return await receive(stream.name, .ended(reason: reason)) }
            await receive(stream.name, .disconnected(reason: reason, pause: pause))
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, longestPause)
        }
    }
}
