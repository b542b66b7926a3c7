/// All that a stream detector knows of its stream.
struct StreamState {
    private let models: DetectionModels
    private let options: StreamDetectorOptions
    private var classifier: ModelRunner?
    private var tracker: ObjectTracker
    private var schedule: DetectionSchedule
    private var camera = CameraMotionEstimator()
    private var labels = LabelMemory()
    /// When an object was last found with the confidence that an object must have.
    private var lastSure: [Int: Duration] = [:]
    private var prominent = ProminentChoice()
    private var size: PixelSize?
    private var droppedFrames = 0
    /// The index of the next frame, if none is dropped; nil before the first one, which may have any.
    private var expectedIndex: Int?
    /// The index that a frame without one gets.
    var nextIndex: Int { expectedIndex ?? 0 }

    /// So many of a classifier's labels are remembered.
    private static let rememberedLabels = 20

    init(models: DetectionModels, options: StreamDetectorOptions, tracking: ObjectTrackerOptions) throws {
        self.models = models
        self.options = options
        classifier = try models.makeClassifier()
        tracker = ObjectTracker(options: tracking)
        schedule = DetectionSchedule(options.cadence)
    }

    mutating func reset() {
        forget()
        (size, droppedFrames, expectedIndex) = (nil, 0, nil)
    }

    private mutating func forget() {
        tracker.reset()
        schedule.reset()
        camera.reset()
        labels.keep([])
        lastSure = [:]
        prominent.reset()
    }

    /// Whether the detector should look at a frame of this size, if it comes next.
    func wantsDetection(of size: PixelSize) -> Bool { self.size != size || schedule.isDue }

    /// Takes in what was seen in the next frame; the classifier may run.
    mutating func result(of frame: VideoFrame, seen: FrameView) throws -> StreamResult {
        var clock = StageClock(seen.timings)
        let image = frame.image
        if let size, size != image.size { forget() }
        size = image.size
        let tracks = try clock.measure(\.tracking) {
            let motion = seen.grey.map { camera.motion(to: $0, of: image.size) } ?? .none
            if let found = seen.found {
                return tracker.update(found.detections, at: frame.timestamp, cameraMotion: motion)
            }
            return tracker.advance(to: frame.timestamp, cameraMotion: motion)
        }
        schedule.countFrame(detectionTime: seen.found.map { _ in seen.timings.total })
        countDrops(before: frame.index)
        let shown = try objects(among: tracks, of: frame, found: seen.found, &clock)
        return StreamResult(
            timestamp: frame.timestamp,
            index: frame.index,
            size: image.size,
            objects: shown,
            tentative: tentative(tracks),
            isDetected: seen.found != nil,
            droppedFrames: droppedFrames,
            timings: clock.timings
        )
    }

    private mutating func countDrops(before index: Int) {
        let expected = expectedIndex ?? index
        // Indices are the caller's, and may be anything.
        let (missing, overflow) = index.subtractingReportingOverflow(expected)
        if !overflow, missing > 0 { droppedFrames = droppedFrames.addingReportingOverflow(missing).partialValue }
        expectedIndex = max(index, expected).addingReportingOverflow(1).partialValue
    }

    private func tentative(_ tracks: [Track]) -> [Detection] {
        tracks.filter { $0.id == nil }
            .map { Detection(frame: $0.frame, confidence: $0.confidence, classIndex: $0.classIndex) }
            .sorted { $0.confidence > $1.confidence }
    }

    /// The objects to report, with their labels.
    private mutating func objects(
        among tracks: [Track],
        of frame: VideoFrame,
        found: FrameView.Found?,
        _ clock: inout StageClock
    ) throws -> [TrackedObject] {
        let known = Set(tracker.tracks.compactMap(\.id))
        labels.keep(known)
        let confirmed = sureEnough(tracks, known: known, at: frame.timestamp).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        var shown: [Track]
        if let classification = models.classification, classification.choosesObjects {
            // Only who has been named can be chosen by name.
            try classify(confirmed, in: frame, decoded: found?.picture, with: classification, &clock)
            shown = chosen(
                among: confirmed.filter { labels.knows($0.id ?? 0) && permittedLabels(of: $0, classification) != nil },
                in: frame
            )
        } else {
            shown = chosen(among: confirmed, in: frame)
            if let classification = models.classification {
                try classify(shown, in: frame, decoded: found?.picture, with: classification, &clock)
            } else if let found {
                addClasses(of: confirmed, found.detections)
            }
        }
        return shown.compactMap { object(of: $0, at: frame.timestamp) }
    }

    /// The objects with an identity, without those that only weak boxes have kept alive for longer than a lost object would
    /// be remembered: those are as good as lost.
    private mutating func sureEnough(_ tracks: [Track], known: Set<Int>, at time: Duration) -> [Track] {
        lastSure = lastSure.filter { known.contains($0.key) }
        return tracks.filter { track in
            guard let id = track.id else { return false }
            if track.confidence >= models.detection.scoreThreshold { lastSure[id] = time }
            return time - lastSure[id, default: track.firstSeen] <= options.tracking.memory
        }
    }

    private mutating func chosen(among tracks: [Track], in frame: VideoFrame) -> [Track] {
        if options.detection.detectsMultipleObjects {
            return Array(tracks.prefix(options.detection.effectiveMaximumObjects))
        }
        return prominent.choose(tracks, in: frame.image.size, at: frame.timestamp).map { [$0] } ?? []
    }

    /// Lets the classifier look at the one object that needs it most.
    private mutating func classify(
        _ tracks: [Track],
        in frame: VideoFrame,
        decoded picture: DecodedImage?,
        with classification: ClassificationStage,
        _ clock: inout StageClock
    ) throws {
        // A box that was carried on does not lie well enough around its object.
        let seen = tracks.filter { $0.detectionIndex != nil }
        guard let picture, let id = labels.mostUrgent(of: seen.lazy.compactMap(\.id), at: frame.timestamp),
            let track = seen.first(where: { $0.id == id }), var runner = classifier
        else { return }
        let said = try classification.labels(
            of: [track.frame],
            in: frame.image,
            decoded: picture,
            filter: LabelFilter(threshold: 0, allowed: nil, denied: [], maximumCount: Self.rememberedLabels),
            with: &runner,
            clock: &clock
        )
        classifier = runner
        labels.add(said.first ?? [], to: id, at: frame.timestamp)
    }

    /// Takes the detector's own classes as what was said of the objects.
    private mutating func addClasses(of tracks: [Track], _ detections: [Detection]) {
        for track in tracks {
            guard let id = track.id, let index = track.detectionIndex, detections.indices.contains(index),
                let label = models.detection.label(of: detections[index])
            else { continue }
            labels.add([label], to: id)
        }
    }

    private func permittedLabels(of track: Track, _ classification: ClassificationStage) -> [Label]? {
        let filter = classification.filter
        let known = labels.labels(of: track.id ?? 0, threshold: filter.threshold, maximumCount: filter.maximumCount)
        return classification.permitted(known)
    }

    private func object(of track: Track, at time: Duration) -> TrackedObject? {
        guard let id = track.id else { return nil }
        let known =
            if let classification = models.classification {
                permittedLabels(of: track, classification) ?? []
            } else {
                // The detector says one class of each box.
                labels.labels(of: id, threshold: models.detection.labelThreshold, maximumCount: 1)
            }
        return TrackedObject(
            id: id,
            frame: track.frame,
            confidence: track.confidence,
            labels: known,
            isDetected: track.detectionIndex != nil,
            firstSeen: track.firstSeen,
            age: time - track.firstSeen
        )
    }
}
