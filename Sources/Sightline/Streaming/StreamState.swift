/// The state of a stream: its tracker, its schedule, and the histories of its objects.
struct StreamState {
    private let models: DetectionModels
    private let detection: ObjectDetectorOptions
    private let options: StreamDetectorOptions
    private var classifier: ModelRunner?
    private var tracker: ObjectTracker
    private var schedule: DetectionSchedule
    /// Nil if the detector does not wait for motion.
    private var gate: MotionGate?
    /// The time that the gate took for the last frame of the schedule.
    private var gateTime = Duration.zero
    private var camera = CameraMotionEstimator()
    private var labels = LabelHistory()
    /// When an object was last found with at least the score threshold, without the time that the stream has rested.
    private var lastConfident: [Int: Duration] = [:]
    /// The time in which nothing changed, and the detector did not run.
    private var rested = Duration.zero
    private var lastTime: Duration?
    private var prominent = ProminentObjectSelector()
    private var edges = EdgeClipper()
    private var size: PixelSize?
    /// The size of the last frame of the schedule, which may be ahead of the results.
    private var scheduledSize: PixelSize?
    /// The identities that the tracker remembered after the last frame.
    private var known: Set<Int> = []
    /// The index of a frame that comes without an index.
    private(set) var nextIndex = 0

    /// Whether frames on their way to a result show motion, by their index.
    private var motions: [Int: Bool] = [:]
    /// The number of labels of a classification that are remembered.
    private static let rememberedLabels = 20

    init(
        models: DetectionModels,
        detection: ObjectDetectorOptions,
        options: StreamDetectorOptions,
        tracking: ObjectTrackerOptions
    ) throws {
        self.models = models
        self.detection = detection
        self.options = options
        classifier = try models.makeClassifier()
        tracker = ObjectTracker(options: tracking)
        schedule = DetectionSchedule(options.cadence)
        gate = options.waitsForMotion ? MotionGate() : nil
    }

    mutating func reset() {
        forget()
        schedule.reset()
        gate?.reset()
        (size, scheduledSize, known, nextIndex) = (nil, nil, [], 0)
        (rested, lastTime) = (.zero, nil)
        motions = [:]
    }

    private mutating func forget() {
        tracker.reset()
        camera.reset()
        labels.keep([])
        edges.keep([])
        lastConfident = [:]
        prominent.reset()
    }

    /// The role of the next frame, which counts from now on.
    mutating func role(of frame: VideoFrame) -> FrameRole {
        let role = scheduledRole(of: frame)
        if let gate { motions[frame.index] = gate.seesMotion }
        return role
    }

    private mutating func scheduledRole(of frame: VideoFrame) -> FrameRole {
        // The stream forgets its objects when the size changes.
        let isNew = scheduledSize != frame.image.size
        if isNew {
            schedule.reset()
            gate?.reset()
        }
        scheduledSize = frame.image.size
        gateTime = .zero
        let isDue = schedule.takesNextFrame(planned: frame.use.map { $0 == .detection || isNew && $0 == .motion })
        guard isDue else { return gate?.isOpen ?? true ? .motion : .rest }
        let region = detection.regionOfInterest
        let start = ContinuousClock.now
        guard let isOpen = gate?.opens(for: frame, region: region, knowing: tracker) else {
            return .detection
        }
        gateTime = ContinuousClock.now - start
        return isOpen ? .detection : .rest
    }

    /// Makes up for a frame whose detection failed: the detector runs on the next frame.
    mutating func repeatDetection() {
        schedule.reset()
        gate?.reset()
    }

    /// Follows the objects into the next frame; the classifier may run.
    mutating func result(in frame: VideoFrame, observed observation: FrameObservation) throws -> StreamResult {
        var timings = observation.timings
        timings.tracking += gateTime
        var clock = StageClock(timings)
        let image = frame.image
        if let size, size != image.size { forget() }
        size = image.size
        let isResting = observation.role == .rest
        if isResting, let lastTime {
            rested += min(max(frame.timestamp.since(lastTime), .zero), .seconds(MotionGate.longestRestSeconds))
        }
        lastTime = frame.timestamp
        let followed = try clock.measure(\.tracking) {
            if isResting { return tracker.rest(until: frame.timestamp) }
            let motion =
                observation.gray.map { camera.motion(to: $0, of: image.size, besides: tracker.frames) } ?? .none
            if let found = observation.found {
                return tracker.update(
                    found.detections,
                    at: frame.timestamp,
                    cameraMotion: motion,
                    appearances: observation.appearances
                )
            }
            return tracker.advance(to: frame.timestamp, cameraMotion: motion)
        }
        let remembered = tracker.identities
        let ended = known.subtracting(remembered).sorted()
        known = remembered
        if observation.found != nil { schedule.add(observation.timings.total) }
        // Indices are the caller's, and may be anything.
        nextIndex = frame.index.addingReportingOverflow(1).partialValue
        let hasMotion = motions[frame.index]
        // Frames that failed have no result.
        motions = motions.filter { $0.key > frame.index }
        let (shown, unnamed) = try objects(among: followed, of: frame, found: observation.found, &clock)
        var result = StreamResult(
            timestamp: frame.timestamp,
            index: frame.index,
            size: image.size,
            objects: shown,
            tentative: tentative(followed),
            unnamed: unnamed,
            ended: ended,
            isDamaged: frame.isDamaged,
            isDetected: observation.found != nil,
            hasMotion: hasMotion,
            timings: clock.timings
        )
        if let least = options.leftOverConfidence, let found = observation.found {
            result.leftOver = leftOver(of: found.detections, from: least, without: followed)
        }
        return result
    }

    /// The wanted detections that belong to no object.
    private func leftOver(
        of detections: [DetectedObject],
        from least: Float,
        without followed: [DetectedObject]
    ) -> [DetectedObject] {
        let taken = Set(followed.compactMap { $0.track?.detectionIndex })
        return detections.indices.lazy.filter { !taken.contains($0) && detections[$0].objectConfidence >= least }
            .map { detections[$0] }
    }

    private func tentative(_ objects: [DetectedObject]) -> [DetectedObject] {
        objects.filter { $0.id == nil }.map(withoutDetectionIndex).sorted { $0.confidence > $1.confidence }
    }

    /// The object without the position of its detection, which means nothing to callers.
    private func withoutDetectionIndex(_ object: DetectedObject) -> DetectedObject {
        var object = object
        object.track?.detectionIndex = nil
        return object
    }

    /// The objects to report, with their labels, and the identities of those that are left out because their names are not sure.
    private mutating func objects(
        among followed: [DetectedObject],
        of frame: VideoFrame,
        found: DetectionStage.Found?,
        _ clock: inout StageClock
    ) throws -> (shown: [DetectedObject], unnamed: [Int]) {
        labels.keep(known)
        edges.keep(known)
        let confirmed = visible(confident(followed, at: frame.timestamp), in: frame.image.size)
            .compactMap { object in object.id.map { (id: $0, object: object) } }
            .sorted { $0.id < $1.id }
            .map(\.object)
        let (shown, unnamed): ([DetectedObject], [Int])
        if let classification = models.classification, classification.choosesObjects {
            // Objects without a name cannot be chosen by name.
            try classify(confirmed, in: frame, decoded: found?.picture, with: classification, &clock)
            let permitted = confirmed.filter { object in
                object.id.map { labels.contains($0) && permittedLabels(of: $0, classification) != nil } ?? false
            }
            shown = chosen(among: permitted, in: frame)
            unnamed = confirmed.compactMap(\.id).filter {
                classification.isUnnamed(knownLabels(of: $0, classification))
            }
        } else {
            if models.classification == nil, let found { addClasses(of: confirmed, found.detections) }
            let wanted = models.detection.wantedNames == nil ? confirmed : confirmed.filter { ownLabels(of: $0) != nil }
            unnamed = confirmed.filter { models.detection.isUnnamed(bestLabel(of: $0), covering: share(of: $0)) }
                .compactMap(\.id)
            shown = chosen(among: wanted, in: frame)
            if let classification = models.classification {
                try classify(shown, in: frame, decoded: found?.picture, with: classification, &clock)
            }
        }
        return (shown.map(labeled), unnamed)
    }

    /// The objects with an identity, without those that only weak boxes have kept alive for longer than the tracker remembers a
    /// lost object: such objects count as lost.
    private mutating func confident(_ objects: [DetectedObject], at time: Duration) -> [DetectedObject] {
        lastConfident = lastConfident.filter { known.contains($0.key) }
        let time = time.since(rested)
        return objects.filter { object in
            guard let track = object.track, let id = track.id else { return false }
            let isConfident = object.objectConfidence >= models.detection.scoreThresholds[object.classIndex]
            let last = isConfident ? time : lastConfident[id] ?? track.firstSeen.since(rested)
            lastConfident[id] = last
            return time.since(last) <= options.tracking.memory
        }
    }

    /// The objects with their boxes clipped to the picture, without those that have left it.
    private mutating func visible(_ objects: [DetectedObject], in size: PixelSize) -> [DetectedObject] {
        objects.compactMap { object in
            guard let track = object.track, let id = track.id else { return nil }
            guard !track.isDetected else {
                edges.remember(object.frame, of: id, in: size)
                return object
            }
            guard let frame = edges.visible(object.frame, of: id, in: size) else { return nil }
            var object = object
            object.frame = frame
            return object
        }
    }

    private mutating func chosen(among objects: [DetectedObject], in frame: VideoFrame) -> [DetectedObject] {
        if detection.detectsMultipleObjects {
            // Otherwise the boxes of each frame are limited.
            let limit = models.namesChooseObjects ? detection.validMaximumObjects : nil
            return Array(objects.prefix(min(options.effectiveMaximumObjects, limit ?? .max)))
        }
        return prominent.select(among: objects, in: frame.image.size, at: frame.timestamp).map { [$0] } ?? []
    }

    /// Classifies the one object that needs it most.
    private mutating func classify(
        _ objects: [DetectedObject],
        in frame: VideoFrame,
        decoded picture: DecodedImage?,
        with classification: ClassificationStage,
        _ clock: inout StageClock
    ) throws {
        // A box that was carried on does not lie well enough around its object.
        let seen = objects.filter { $0.track?.isDetected == true }
        guard let picture, let id = labels.mostUrgent(of: seen.lazy.compactMap(\.id), at: frame.timestamp),
            let object = seen.first(where: { $0.id == id }), var runner = classifier
        else { return }
        let found = try classification.labels(
            of: [object.frame],
            in: frame.image,
            decoded: picture,
            filter: LabelFilter(
                thresholds: ClassThresholds(0),
                allowed: nil,
                denied: [],
                maximumCount: Self.rememberedLabels
            ),
            with: &runner,
            clock: &clock
        )
        classifier = runner
        labels.add(found.first ?? [], to: id, at: frame.timestamp)
    }

    /// Adds the detector's own classes as classifications of the objects.
    private mutating func addClasses(of objects: [DetectedObject], _ detections: [DetectedObject]) {
        for object in objects {
            guard let track = object.track, let id = track.id, let index = track.detectionIndex,
                detections.indices.contains(index), let label = models.detection.label(of: detections[index])
            else { continue }
            labels.add([label], to: id)
        }
    }

    private func permittedLabels(of id: Int, _ classification: ClassificationStage) -> [Label]? {
        classification.permitted(knownLabels(of: id, classification))
    }

    private func knownLabels(of id: Int, _ classification: ClassificationStage) -> [Label] {
        let filter = classification.filter
        return labels.labels(of: id, thresholds: filter.thresholds, maximumCount: filter.maximumCount)
    }

    /// The object with the labels that the stream knows of it.
    private func labeled(_ object: DetectedObject) -> DetectedObject {
        guard let id = object.id else { return object }
        var object = withoutDetectionIndex(object)
        object.labels =
            if let classification = models.classification {
                permittedLabels(of: id, classification) ?? []
            } else {
                ownLabels(of: object) ?? []
            }
        return object
    }

    /// The labels of an object that the detector names itself; nil if the object is not wanted.
    private func ownLabels(of object: DetectedObject) -> [Label]? {
        models.detection.labels(bestLabel(of: object), covering: share(of: object))
    }

    /// The most confident label that the detector reports.
    private func bestLabel(of object: DetectedObject) -> Label? {
        let known = object.id.map { labels.labels(of: $0, thresholds: ClassThresholds(0), maximumCount: .max) } ?? []
        let share = share(of: object)
        return known.first { models.detection.naming.reported($0, covering: share) != nil }
    }

    /// The share of the picture that an object covers.
    private func share(of object: DetectedObject) -> Double { size.map { object.frame.share(of: $0) } ?? 0 }
}
