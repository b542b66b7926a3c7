/// Improves the tracks of a whole video with hindsight.
///
/// A tracker that works online decides in each frame without the frames that follow. An offline tracker takes its results frame by
/// frame, and decides at the end of the video:
///
/// 1. Tracks of one object are joined, by their motion, their sizes and the time between them.
/// 2. Objects that show up for a moment only lose their identity.
/// 3. Gaps between the detections of an object are filled.
/// 4. Boxes are smoothed.
///
/// Masks and points are those of the detections; the places that fill a gap have none.
///
/// An object also gets the frames in which it was still tentative, and one set of labels for its whole life. Identities count from 1 in the
/// order in which objects are first seen. The same results give the same tracks every time.
///
/// ```swift
/// var tracker = OfflineTracker()
/// for try await analyzed in detector.results(in: video.frames()) { tracker.append(analyzed.result) }
/// for result in tracker.finish() { print(result.timestamp, result.objects.count) }
/// ```
///
/// Memory grows with the number of boxes, and holds no pictures: an hour of 30 frames a second takes about 25 MB, and 35 MB more for each ten
/// objects that are in view all the time. With masks it takes some 500 bytes more for each detection, with the 17 points of a body some 250.
public struct OfflineTracker: Sendable {
    /// The frames, without objects.
    private var frames: [StreamResult] = []
    private var tracklets: [Tracklet] = []
    /// The tracklet of each identity.
    private var known: [Int: Int] = [:]
    /// The identities of the objects that were not left out in all frames.
    private var shown: Set<Int> = []
    /// The tracklets that got no identity yet, with the times when their objects were first seen.
    private var tentative: [(tracklet: Int, firstSeen: Duration)] = []
    /// The part of the stream between two changes of the frame's size.
    private var segment = 0

    /// The shortest life of an object, in seconds of detections.
    private static let shortestLife = 0.2

    /// Creates a tracker that knows no frames.
    public init() {}

    /// Adds the next frame. Boxes that the online tracker carried on are left out, since ``finish()`` fills gaps from both sides.
    public mutating func append(_ result: StreamResult) {
        if let last = frames.last, last.size != result.size { segment += 1 }
        var frame = result
        (frame.objects, frame.tentative, frame.ended) = ([], [], [])
        frames.append(frame)
        shown.formUnion(result.objects.lazy.compactMap(\.id))
        guard result.isDetected else { return }
        let earlier = tentative
        tentative = []
        var free = Set(earlier.map(\.tracklet))
        for object in result.objects {
            guard let track = object.track, track.isDetected, let id = track.id else { continue }
            let index: Int
            if let same = known[id] { index = same } else { index = taken(object, track, among: earlier, &free) }
            tracklets[index].id = id
            known[id] = index
            // A caller's identities may be anything.
            guard tracklets[index].places.last?.frame != frames.count - 1 else { continue }
            tracklets[index].add(object, in: frames.count - 1)
        }
        for object in result.tentative {
            guard let track = object.track else { continue }
            let index = taken(object, track, among: earlier, &free)
            tracklets[index].add(object, in: frames.count - 1)
            tentative.append((index, track.firstSeen))
        }
    }

    /// The tracklet of an object without an identity so far: that of the nearest of the earlier tentative objects that were first seen at
    /// the same time, otherwise a new one.
    private mutating func taken(
        _ object: DetectedObject,
        _ track: Track,
        among earlier: [(tracklet: Int, firstSeen: Duration)],
        _ free: inout Set<Int>
    ) -> Int {
        let candidates = earlier.filter { candidate in
            candidate.firstSeen == track.firstSeen && free.contains(candidate.tracklet)
                && tracklets[candidate.tracklet].classIndex == object.classIndex
        }
        func distance(_ candidate: (tracklet: Int, firstSeen: Duration)) -> Double {
            guard let box = tracklets[candidate.tracklet].places.last?.box else { return .infinity }
            let (x, y) = (box.midX - object.frame.midX, box.midY - object.frame.midY)
            return x * x + y * y
        }
        if let nearest = candidates.min(by: { distance($0) < distance($1) }) {
            free.remove(nearest.tracklet)
            return nearest.tracklet
        }
        tracklets.append(Tracklet(classIndex: object.classIndex, segment: segment))
        return tracklets.count - 1
    }

    /// Ends the video.
    ///
    /// - Returns: the frames with the final tracks. Detections of objects that lost their identity are in ``StreamResult/tentative``, so
    ///   that nothing that was detected is missing.
    public consuming func finish() -> FinishedStream {
        let times = FrameTimes(frames)
        var kept: [Tracklet] = []
        var ghosts: [Tracklet] = []
        for tracklet in TrackletLinking.joined(tracklets, times: times) {
            let life = Double(tracklet.places.count) * times.detectionInterval
            if tracklet.id == nil || life < Self.shortestLife { ghosts.append(tracklet) } else { kept.append(tracklet) }
        }
        for index in kept.indices {
            GapFilling.fill(&kept[index].places, times: times)
            PathSmoothing.smooth(&kept[index].places, times: times)
        }
        // The objects that were left out keep the identities of the stream, behind those of the tracks.
        for index in frames.indices where !frames[index].unnamed.isEmpty {
            frames[index].unnamed = frames[index].unnamed.filter { !shown.contains($0) }.map { $0 + kept.count }
        }
        return FinishedStream(frames: frames, tracks: kept, ghosts: ghosts)
    }
}

/// When the frames of a stream are shown, in seconds that never go back.
struct FrameTimes: Sendable {
    private let seconds: [Double]
    /// The mean time from one frame in which the detector ran to the next; infinite for fewer than two of them.
    let detectionInterval: Double

    init(_ frames: [StreamResult]) {
        var latest = -Double.infinity
        seconds = frames.map { frame in
            latest = max(latest, frame.timestamp.inSeconds)
            return latest
        }
        let detected = frames.indices.filter { frames[$0].isDetected }
        if let first = detected.first, let last = detected.last, last > first {
            detectionInterval = (seconds[last] - seconds[first]) / Double(detected.count - 1)
        } else {
            detectionInterval = .infinity
        }
    }

    subscript(frame: Int) -> Double { seconds[frame] }
}
