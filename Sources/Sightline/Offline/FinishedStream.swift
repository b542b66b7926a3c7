/// The frames of a whole video with its final tracks, from an ``OfflineTracker``.
///
/// The elements are those of an online stream: each frame has its objects, with identities, and the identities that ended since the frame
/// before. Code that takes the results of a ``StreamDetector`` takes these frames, too.
public struct FinishedStream: Sendable, Sequence {
    /// The objects, in the order of their identities.
    public let tracks: [FinishedTrack]
    /// The frames, without objects.
    private let frames: [StreamResult]
    /// The detections of objects without an identity.
    private let ghosts: [FinishedTrack]

    /// - Parameters:
    ///   - frames: the frames, without objects.
    ///   - tracks: the objects with an identity, in the order of their first frames.
    ///   - ghosts: the other objects, in the same order.
    init(frames: [StreamResult], tracks: [Tracklet], ghosts: [Tracklet]) {
        self.frames = frames
        func finished(_ tracklet: Tracklet, _ id: Int) -> FinishedTrack {
            FinishedTrack(
                id: id,
                classIndex: tracklet.classIndex,
                labels: tracklet.labels.labels,
                places: tracklet.places,
                details: tracklet.details
            )
        }
        self.tracks = tracks.enumerated().map { finished($1, $0 + 1) }
        self.ghosts = ghosts.map { finished($0, 0) }
    }

    /// Goes through the frames in their order.
    public func makeIterator() -> Iterator {
        Iterator(frames: frames, tracks: TrackCursor(tracks), ghosts: TrackCursor(ghosts))
    }

    /// Goes through the frames.
    public struct Iterator: IteratorProtocol {
        private let frames: [StreamResult]
        private var tracks: TrackCursor
        private var ghosts: TrackCursor
        private var position = 0

        fileprivate init(frames: [StreamResult], tracks: TrackCursor, ghosts: TrackCursor) {
            (self.frames, self.tracks, self.ghosts) = (frames, tracks, ghosts)
        }

        /// The next frame with its objects; nil at the end.
        public mutating func next() -> StreamResult? {
            guard position < frames.count else { return nil }
            var result = frames[position]
            result.ended = tracks.ended
            result.objects = tracks.next(position, frames).map { $0.object(state: .confirmed(id: $0.track.id), result) }
            result.tentative = ghosts.next(position, frames).map { $0.object(state: .tentative, result) }
                .sorted { $0.confidence > $1.confidence }
            position += 1
            return result
        }
    }
}

/// Goes through the places of many tracks, frame by frame.
private struct TrackCursor: Sendable {
    /// A track, its place in a frame, and the time of its last detection.
    struct Current: Sendable {
        let track: FinishedTrack
        var place = 0
        var firstSeen = Duration.zero
        var lastSeen = Duration.zero

        /// The object in the frame of a result.
        func object(state: Track.State, _ result: StreamResult) -> DetectedObject {
            let place = track.places[place]
            let details = place.isDetected ? track.details[place.frame] : nil
            return DetectedObject(
                frame: place.box,
                confidence: place.confidence,
                classIndex: track.classIndex,
                labels: track.labels,
                points: details?.objectPoints,
                mask: details?.objectMask(containing: place.box),
                track: Track(
                    state: state,
                    firstSeen: firstSeen,
                    lastSeen: lastSeen,
                    age: result.timestamp.since(firstSeen),
                    isDetected: place.isDetected
                )
            )
        }
    }

    private let tracks: [FinishedTrack]
    private var upcoming = 0
    private var current: [Current] = []
    /// The identities of the tracks that ended with the last frame.
    private(set) var ended: [Int] = []

    init(_ tracks: [FinishedTrack]) { self.tracks = tracks }

    /// The tracks with a place in the next frame.
    mutating func next(_ frame: Int, _ frames: [StreamResult]) -> [Current] {
        while upcoming < tracks.count, let first = tracks[upcoming].places.first, first.frame <= frame {
            let time = frames[first.frame].timestamp
            current.append(Current(track: tracks[upcoming], firstSeen: time, lastSeen: time))
            upcoming += 1
        }
        ended = []
        var found: [Current] = []
        for index in current.indices {
            let place = current[index].track.places[current[index].place]
            guard place.frame == frame else { continue }
            if place.isDetected { current[index].lastSeen = frames[frame].timestamp }
            found.append(current[index])
            current[index].place += 1
        }
        current.removeAll { current in
            guard current.place == current.track.places.count else { return false }
            ended.append(current.track.id)
            return true
        }
        return found
    }
}
