import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineEvents
import SightlineMedia
import TextFormatting

/// A camera of `sightline watch`: counts what happens, and writes and sends it.
actor CameraWatch {
    /// The settings of the camera.
    let settings: WatchFile.Camera
    private let delivery: WatchDelivery
    private let archive: PictureArchive?
    private var history: StreamHistory
    /// Made with the first frame, when the periods begin.
    private var counts: CountFile?
    private var hasReportedDisk = false
    /// Whether the connection has sent frames. A camera may state no size before the first.
    private var hasFrames = false
    /// Whether something moves; nil if nothing looks for motion.
    private var hasMotion: Bool?
    /// The numbers of the camera since the program began to watch it.
    private(set) var metrics = CameraMetrics()

    init(_ settings: WatchFile.Camera, delivery: WatchDelivery) {
        self.settings = settings
        self.delivery = delivery
        archive = settings.pictures.map(PictureArchive.init)
        history = StreamHistory(settings.track)
        hasMotion = settings.track.motion ? false : nil
    }

    /// Takes the news of the camera's stream.
    func receive(_ update: StreamGroup.Update) async {
        switch update {
        case .connected:
            metrics.connect()
            hasFrames = false
            await show()
        case .frame(let analyzed, let delay):
            if !hasFrames {
                hasFrames = true
                let size = analyzed.result.size
                report("connected, \(size.width) × \(size.height) pixels")
                settings.track.outlineWarnings(in: size).forEach(report)
            }
            metrics.add(analyzed.result, delay: delay)
            await add(analyzed)
        case .disconnected(let reason, let pause):
            let wasConnected = metrics.isConnected
            metrics.disconnect()
            await endStream()
            // A camera that stays away is reported once.
            if wasConnected || metrics.failures == 1 {
                report("\(reason) The next try is in \(ClockText.seconds(pause)), and others follow.")
            }
        case .ended(let reason):
            metrics.disconnect()
            await endStream()
            if let reason {
                metrics.isIncomplete = true
                report(reason)
            } else {
                report("the end is reached, after \(NumberText.count(history.frameCount, "frame"))")
            }
            await finishCounts()
        case .removed:
            let wasConnected = metrics.isConnected
            metrics.disconnect()
            await endStream()
            await finishCounts()
            if wasConnected, Termination.stopSignal == nil { report("no longer watched") }
        }
    }

    private func report(_ text: String) { StandardError.report("\(settings.name): \(text)") }

    private func add(_ analyzed: AnalyzedFrame) async {
        let (result, now) = (analyzed.result, Date())
        let events = history.update(result)
        await append(events, until: result.timestamp, now: now)
        guard !events.isEmpty || result.hasMotion != hasMotion else { return }
        hasMotion = result.hasMotion
        await publish(events, at: result.timestamp, now: now)
        await show()
        for event in events where isNotable(event) {
            StandardOutput.writeLine("\(LogTime.text(now)) \(settings.name): \(event.text)")
        }
        guard let event = events.first(where: isNotable) else { return }
        await picture(analyzed, of: event, at: now)
    }

    /// Draws the picture of an event, keeps it and sends it.
    private func picture(_ analyzed: AnalyzedFrame, of event: StreamEvent, at date: Date) async {
        let isSent = await delivery.sendsPictures
        guard archive != nil || isSent else { return }
        guard let jpeg = await EventPictures.picture(analyzed, history.outlines) else { return fail("cannot be drawn") }
        if isSent { await delivery.show(picture: jpeg, of: settings.name) }
        guard let archive else { return }
        do {
            try await withTaskExecutorPreference(FileExecutor.shared) {
                try await archive.add(Data(jpeg), of: "\(event.name)-\(event.id)", at: date)
            }
        } catch {
            fail("cannot be written: \(sentence(for: error))")
        }
    }

    /// Counts a picture that is missing, and reports the first one.
    private func fail(_ reason: String) {
        metrics.failedPictures += 1
        if metrics.failedPictures == 1 { report("a picture \(reason); the next ones are tried") }
    }

    /// Ends the identities of the stream; the counts go on.
    private func endStream() async {
        let last = metrics.lastTime
        await publish(history.finish(), at: last, now: Date())
        await show()
    }

    private func publish(_ events: [StreamEvent], at time: Duration, now: Date) async {
        guard !events.isEmpty else { return }
        for event in events { metrics.events[event.name, default: 0] += 1 }
        let dated = events.map { event in
            CameraEvent(
                camera: settings.name,
                event: event,
                date: now.addingTimeInterval((event.time - time) / .seconds(1))
            )
        }
        await delivery.publish(dated, alsoTo: settings.track.events)
    }

    private func show() async {
        let state = CameraState(
            camera: settings.name,
            history: history,
            hasMotion: hasMotion,
            isAvailable: metrics.isConnected
        )
        await delivery.show(state)
    }

    // MARK: Counts

    private func append(_ events: [StreamEvent], until time: Duration, now: Date) async {
        guard let path = settings.track.counts else { return }
        do {
            if counts == nil {
                counts = try CountFile(
                    URL(filePath: path),
                    of: history,
                    period: settings.track.period?.period ?? .seconds(3600),
                    beginning: now.addingTimeInterval(-(time / .seconds(1))),
                    continuesEarlier: true
                )
            }
            try counts?.append(events, until: time)
            hasReportedDisk = false
        } catch {
            guard !hasReportedDisk else { return }
            hasReportedDisk = true
            report("\(sentence(for: error)) The counts are written when that is possible again.")
        }
    }

    private func finishCounts() async {
        do {
            try counts?.finish()
        } catch {
            metrics.isIncomplete = true
            report(sentence(for: error))
        }
        counts = nil
    }

    // MARK: Text

    /// Whether an event has a picture and a line for people: what happens at lines and zones, or else each object that appears.
    private func isNotable(_ event: StreamEvent) -> Bool {
        switch event {
        case .line: true
        case .zone(let event): event.kind != .endedInside
        case .object(let event): event.kind == .appeared && history.lines.isEmpty && history.zones.isEmpty
        }
    }
}

extension StreamEvent {
    /// The event for people, for example `person 12 entered yard`.
    fileprivate var text: String {
        let object = "\(label) \(id)"
        return switch self {
        case .line(let event): "\(object) crossed \(event.line) \(event.direction == .inward ? "in" : "out")"
        case .zone(let event):
            switch event.kind {
            case .entered: "\(object) entered \(event.zone)"
            case .left: "\(object) left \(event.zone) after \(ClockText.seconds(event.dwell))"
            case .dwellPassed: "\(object) has been in \(event.zone) for \(ClockText.seconds(event.dwell))"
            case .beganInside: "\(object) was in \(event.zone) from the start"
            case .endedInside: "\(object) was last seen in \(event.zone)"
            }
        case .object(let event): "\(object) \(event.kind.rawValue)"
        }
    }
}
