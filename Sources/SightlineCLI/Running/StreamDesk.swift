import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineEvents
import SightlineMedia

/// The state of one camera or video: its history, its counts, its last state, and the events and pictures that leave from it.
///
/// Every change reaches the counts, the destinations of events, and the state that they show. That also holds for
/// the end of a stream.
actor StreamDesk {
    /// The settings of a desk.
    struct Settings: Sendable {
        /// The name of the camera.
        let camera: String
        /// The lines and zones.
        let history: StreamHistory
        /// The file of counts, and its period; nil for none.
        var counts: (file: URL, period: Duration)?
        /// Whether counts have dates, and follow those of earlier runs.
        var datesCounts = true
        /// The folder of pictures of events; nil for none.
        var pictures: EventPictureFolder.Options?
        /// Whether the stream is watched for motion.
        var looksForMotion = false
        /// Whether pictures of events may leave for destinations that show them.
        var sendsPictures = true
        /// Finds the faces that are hidden in pictures of events; nil to hide none.
        var faces: FaceHider?
        /// The things whose states are read.
        var things: [WatchedThing] = []
        /// Whether all frames have pictures.
        var readsStatesOfAllFrames = false
        /// The states of earlier runs; nil to begin without any.
        var memory: StateMemory?
    }

    /// The things that happened in a frame, or at the end of a stream.
    struct Happening: Sendable {
        var events: [StreamEvent] = []
        /// The reason why counts could not be written; they are written with the next ones.
        var countFailure: (any Error)?
        /// The reason why the picture of an event is missing.
        var pictureFailure: String?
        /// The reason why a state could not be read.
        var stateFailure: (any Error)?
    }

    private let settings: Settings
    private let destinations: EventDestinations?
    private let archive: EventPictureFolder?
    /// The account of the stream, from which all numbers come.
    private(set) var history: StreamHistory
    private var counts: CountFile?
    private(set) var states: StateReadings
    private var shown: CameraState?
    private var hasMotion: Bool?
    private var isAvailable = false
    /// Whether times of the stream are those of a clock that runs now. The events of a video have the date on which they are found.
    private var isLive = true
    /// The start of the stream, by the wall clock and by the monotonic clock.
    private var beginning = (date: Date(), instant: ContinuousClock.now)
    /// The time of the newest frame in the stream, and when it came.
    private var last = (time: Duration.zero, instant: ContinuousClock.now)
    /// The picture that is being drawn for destinations.
    private var drawing: Task<Void, Never>?

    /// The quality of a picture's JPEG.
    private static let quality = 80

    /// - Parameter destinations: the destinations of events, perhaps with those of other cameras; nil for none.
    init(_ settings: Settings, destinations: EventDestinations?) {
        (self.settings, self.destinations) = (settings, destinations)
        archive = settings.pictures.map { EventPictureFolder($0, camera: settings.camera) }
        history = settings.history
        states = StateReadings(settings.things, readsAllFrames: settings.readsStatesOfAllFrames)
        hasMotion = settings.looksForMotion ? false : nil
    }

    // MARK: Stream

    /// Begins the stream, or continues it after a loss.
    func connect(isLive: Bool) async {
        (self.isLive, isAvailable) = (isLive, true)
        if !isLive { beginning = (Date(), .now) }
        await show()
    }

    /// Opens the file of counts, if there is one. Otherwise the first frame opens it.
    ///
    /// - Throws: `MediaError`.
    func openCounts() throws {
        guard counts == nil, let (file, period) = settings.counts else { return }
        let zone = settings.datesCounts ? TimeZone.autoupdatingCurrent : nil
        let things = settings.things.map(\.name)
        counts = try CountFile(file, of: history, period: period, things: things, timeZone: zone)
    }

    /// Adds a frame.
    ///
    /// - Parameter frame: the frame of the result; nil if its picture is not known.
    func add(_ result: StreamResult, frame: VideoFrame?) async -> Happening {
        last = (result.timestamp, .now)
        let read = await readStates(frame, at: result.timestamp)
        var happening = Happening(events: history.update(result) + read.events)
        happening.stateFailure = read.failure
        let isMoving = hasMotion != result.hasMotion
        hasMotion = result.hasMotion
        happening.countFailure = await count(happening.events)
        await publish(happening.events)
        if isMoving || read.hasChanged || !happening.events.isEmpty || shown == nil { await show() }
        await remember(read.events)
        if let frame, !happening.events.isEmpty {
            let analyzed = AnalyzedFrame(frame: frame, result: result)
            happening.pictureFailure = await picture(analyzed, of: happening.events)
        }
        return happening
    }

    /// Ends the identities of a stream that is lost or done; the counts continue with the next one.
    func end() async -> Happening {
        isAvailable = false
        states.lose(at: last.time)
        var happening = Happening(events: history.finish())
        if counts != nil { happening.countFailure = await count(happening.events, saves: true) }
        await publish(happening.events)
        await show()
        return happening
    }

    /// Writes what is left of a stream that does not come back.
    ///
    /// - Throws: `MediaError`.
    func finish() async throws {
        await drawing?.value
        defer { counts = nil }
        try await withTaskExecutorPreference(FileExecutor.shared) { try await finishCounts() }
    }

    /// Ends a camera that is no longer watched, as opposed to a program that ends.
    func retire() async {
        await destinations?.retire(settings.camera)
        await settings.memory?.forget(settings.camera)
    }

    // MARK: States

    private func readStates(_ frame: VideoFrame?, at time: Duration) async -> StateReadings.Outcome {
        guard !settings.things.isEmpty else { return StateReadings.Outcome() }
        if let memory = settings.memory, !states.hasBegun {
            states.begin(after: await memory.states(of: settings.camera))
        }
        // The readings are taken out for the time of the labeler, during which the desk may be asked for them.
        var present = states
        let outcome = await present.read(frame, at: time)
        states = present
        return outcome
    }

    /// Notes states once their events have left, so that a kill repeats an event rather than losing it.
    private func remember(_ events: [StreamEvent]) async {
        for case .state(let event) in events {
            await settings.memory?.note(event.label, of: event.thing, camera: settings.camera)
        }
    }

    // MARK: Counts

    /// - Returns: the failure, if any.
    private func count(_ events: [StreamEvent], saves: Bool = false) async -> (any Error)? {
        guard settings.counts != nil else { return nil }
        return await withTaskExecutorPreference(FileExecutor.shared) { await append(events, saves: saves) }
    }

    private func append(_ events: [StreamEvent], saves: Bool) async -> (any Error)? {
        do {
            try openCounts()
            // A file runs by its own time, a camera by the clock as it is now.
            let instant = isLive ? last.instant : beginning.instant + last.time
            let date = isLive ? lastDate : beginning.date + last.time / .seconds(1)
            try counts?.append(events, states: states.texts, until: last.time, at: date, instant: instant)
            if saves { try counts?.save() }
            return nil
        } catch {
            return error
        }
    }

    private func finishCounts() async throws { try counts?.finish() }

    /// The date of the newest frame, by the clock as it is now.
    private var lastDate: Date { Date() + (last.instant - .now) / .seconds(1) }

    // MARK: Events

    private func publish(_ events: [StreamEvent]) async {
        guard let destinations, !events.isEmpty else { return }
        let (now, lastDate) = (Date(), lastDate)
        await destinations.publish(
            events.map { event in
                let date = isLive ? lastDate + (event.time - last.time) / .seconds(1) : now
                return CameraEvent(camera: settings.camera, event: event, date: date)
            }
        )
    }

    /// Shows the state of the camera, if it is another one.
    private func show() async {
        guard let destinations else { return }
        let state = CameraState(
            camera: settings.camera,
            history: history,
            hasMotion: hasMotion,
            isAvailable: isAvailable,
            things: states.shown
        )
        guard state != shown else { return }
        shown = state
        await destinations.show(state)
    }

    // MARK: Pictures

    /// Draws the picture of an event, keeps it and sends it. While a picture is drawn to be sent alone, others are left out: destinations
    /// show that of the last event.
    ///
    /// - Returns: the reason why the picture is not kept, if any.
    private func picture(_ analyzed: AnalyzedFrame, of events: [StreamEvent]) async -> String? {
        let isWanted = await destinations?.wantsPictures ?? false
        let isSent = isWanted && settings.sendsPictures && analyzed.result.isDetected
        let outlines = history.outlines
        guard let archive, let event = events.first(where: history.isNotable) else {
            guard isSent, drawing == nil else { return nil }
            drawing = Task {
                // A picture that cannot be drawn is left out; the event is still sent.
                if let jpeg = await Self.picture(analyzed, outlines, hiding: settings.faces) { await send(jpeg) }
                drawing = nil
            }
            return nil
        }
        guard let jpeg = await Self.picture(analyzed, outlines, hiding: settings.faces) else {
            return "cannot be drawn"
        }
        if isSent { await send(jpeg) }
        do {
            let date = Date()
            try await withTaskExecutorPreference(FileExecutor.shared) {
                try await archive.add(Data(jpeg), of: "\(event.name)-\(event.id)", at: date)
            }
            return nil
        } catch {
            return "cannot be written: \(sentence(for: error))"
        }
    }

    private func send(_ jpeg: [UInt8]) async { await destinations?.show(picture: jpeg, of: settings.camera) }

    /// The frame with its objects and outlines as a JPEG; nil if it cannot be drawn, or if its faces cannot be hidden.
    private static func picture(
        _ analyzed: AnalyzedFrame,
        _ outlines: [AnnotatedScene.Outline],
        hiding faces: FaceHider?
    ) async -> [UInt8]? {
        await withTaskExecutorPreference(FileExecutor.shared) {
            var annotators = AnnotatorKind.standard.map { $0.makeAnnotator() }
            var covers: [PixelRect] = []
            if let faces {
                // Without the faces, there is no picture.
                guard let found = try? await faces.faces(in: analyzed.frame.image) else { return nil }
                annotators.append(BlurAnnotator(hidesObjects: false))
                covers = found
            }
            var renderer = PictureRenderer(annotators)
            let scene = AnnotatedScene(analyzed.result, covers: covers, outlines: outlines)
            let pixels = try? renderer.render(scene, on: analyzed.frame.image)
            return (try? pixels?.encoded(as: .jpeg, quality: quality)).map { [UInt8]($0) }
        }
    }
}

extension StreamHistory {
    /// Whether an event has a picture and a line for people: events of lines and zones, or else each object that appears.
    func isNotable(_ event: StreamEvent) -> Bool {
        switch event {
        case .line, .state: true
        case .zone(let event): event.kind != .endedInside
        case .object(let event): event.kind == .appeared && lines.isEmpty && zones.isEmpty
        }
    }
}
