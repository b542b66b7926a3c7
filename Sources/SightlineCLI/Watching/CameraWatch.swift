import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// A camera of `sightline watch`: passes its stream's updates to its desk, and reports changes to people.
actor CameraWatch {
    /// The settings of the camera.
    let settings: WatchFile.Camera
    private let desk: StreamDesk
    /// The lines and zones.
    private let history: StreamHistory
    private var hasReportedDisk = false
    private var hasReportedState = false
    /// Whether the connection has sent frames. A camera may state no size before the first.
    private var hasFrames = false
    /// The numbers of the camera since the program began to watch it.
    private(set) var metrics = CameraMetrics()

    init(_ camera: WatchPlan.Camera, memory: StateMemory, destinations: EventDestinations) {
        settings = camera.settings
        var desk = settings.track.deskSettings(camera: settings.name, isLive: true)
        desk.pictures = settings.pictures
        desk.faces = camera.faces
        desk.things = camera.things
        desk.memory = memory
        history = desk.history
        self.desk = StreamDesk(desk, destinations: destinations)
    }

    /// Takes an update of the camera's stream.
    func receive(_ update: StreamGroup.Update) async {
        switch update {
        case .connected(let info):
            metrics.connect()
            hasFrames = false
            await desk.connect(isLive: info.isLive)
        case .frame(let analyzed, let delay):
            if !hasFrames {
                hasFrames = true
                let size = analyzed.result.size
                report("connected, \(size.width) × \(size.height) pixels")
                settings.track.outlineWarnings(in: size).forEach(report)
            }
            metrics.add(analyzed.result, delay: delay)
            note(await desk.add(analyzed.result, frame: analyzed.frame))
        case .disconnected(let reason, let pause):
            let wasConnected = metrics.isConnected
            await endStream()
            // A camera that stays away is reported once.
            if wasConnected || metrics.failures == 1 {
                report("\(reason) The next try is in \(ClockText.seconds(pause)).")
            }
        case .ended(let reason):
            await endStream()
            if let reason {
                metrics.isIncomplete = true
                report(reason)
            } else {
                report("the end is reached, after \(NumberText.count(await desk.history.frameCount, "frame"))")
            }
            await finish()
        case .removed:
            let wasConnected = metrics.isConnected
            await endStream()
            await finish()
            if wasConnected, Termination.stopSignal == nil { report("no longer watched") }
        }
    }

    /// Ends the camera after its stream, because it is no longer in the file.
    func retire() async { await desk.retire() }

    private func endStream() async {
        metrics.disconnect()
        note(await desk.end())
    }

    private func finish() async {
        do {
            try await desk.finish()
        } catch {
            metrics.isIncomplete = true
            report(sentence(for: error))
        }
    }

    private func note(_ happening: StreamDesk.Happening) {
        metrics.add(happening)
        if let failure = happening.countFailure, !hasReportedDisk {
            report("\(sentence(for: failure)) The counts are written once that is possible again.")
        }
        hasReportedDisk = happening.countFailure != nil
        if let failure = happening.pictureFailure, metrics.failedPictures == 1 {
            report("a picture \(failure); will try again")
        }
        if let failure = happening.stateFailure, !hasReportedState {
            hasReportedState = true
            report("a state cannot be read, and is unknown: \(sentence(for: failure))")
        }
        for event in happening.events where history.isNotable(event) {
            StandardOutput.writeLine("\(LogTime.text(Date())) \(settings.name): \(event.text)")
        }
    }

    private func report(_ text: String) { StandardError.report("\(settings.name): \(text)") }
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
        case .state(let event):
            "\(event.thing) is \(event.label)" + (event.earlier.map { ", and was \($0)" } ?? "")
        }
    }
}
