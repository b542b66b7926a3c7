import Foundation
import Sightline
import SightlineEvents
import TextFormatting

/// The states of the things that a camera shows.
struct StateReadings: Sendable {
    /// The results of a frame.
    struct Outcome: Sendable {
        var events: [StreamEvent] = []
        /// Whether a state is another one, or unknown now.
        var hasChanged = false
        /// The reason why a region could not be read.
        var failure: (any Error)?
    }

    private struct Reading {
        let thing: WatchedThing
        var state: ThingState
        /// The time from which on the region is read again.
        var next: Duration?
        /// The time from which on the state has been as it is.
        var since: Duration?
        /// The time in each state so far.
        var times: [String: Duration] = [:]
        var changes = 0

        var text: String { state.label ?? StateReadings.unknown }

        mutating func advance(to time: Duration) {
            if let since { times[text, default: .zero] += max(time - since, .zero) }
            since = time
        }
    }

    /// The word for a state that is not known.
    static let unknown = "unknown"

    private var readings: [Reading]
    private let readsAllFrames: Bool
    /// Whether the states of earlier runs are there.
    private(set) var hasBegun = false

    /// - Parameter readsAllFrames: whether all frames have pictures, also those on which the detector does not run.
    init(_ things: [WatchedThing], readsAllFrames: Bool = false) {
        self.readsAllFrames = readsAllFrames
        readings = things.map {
            Reading(thing: $0, state: ThingState($0.name, holdingTime: $0.settings.holdingTime))
        }
    }

    /// Sets the last states of an earlier run, which make no events where they are still the same.
    mutating func begin(after known: [String: String]) {
        hasBegun = true
        for index in readings.indices {
            let settings = readings[index].thing.settings
            readings[index].state = ThingState(
                settings.name,
                holdingTime: settings.holdingTime,
                known: known[settings.name]
            )
        }
    }

    /// Reads the regions that are due.
    ///
    /// - Parameter frame: the frame; nil if its picture is not known.
    mutating func read(_ frame: VideoFrame?, at time: Duration) async -> Outcome {
        var outcome = Outcome()
        for index in readings.indices {
            let before = readings[index].state.label
            readings[index].advance(to: time)
            // A frame of which only boxes are wanted may have no picture, and a damaged one shows nothing for certain.
            guard let frame, frame.use != VideoFrame.Use.none || readsAllFrames, !frame.isDamaged,
                time >= readings[index].next ?? time
            else { continue }
            let settings = readings[index].thing.settings
            readings[index].next = time + settings.interval
            var label: Label?
            if settings.region.intersection(PixelRect(frame.image.size)) != nil {
                do {
                    label = try await readings[index].thing.labeler.label(of: settings.region, in: frame.image)
                } catch {
                    outcome.failure = error
                }
            }
            if let event = readings[index].state.read(label, at: time) {
                readings[index].changes += event.earlier == nil ? 0 : 1
                outcome.events.append(.state(event))
            }
            if readings[index].state.label != before { outcome.hasChanged = true }
        }
        return outcome
    }

    /// Makes all states unknown, because the camera is lost.
    mutating func lose(at time: Duration) {
        for index in readings.indices {
            readings[index].advance(to: time)
            readings[index].state.lose()
            readings[index].next = nil
        }
    }

    /// The states for destinations.
    var shown: [CameraState.Thing] {
        readings.map {
            CameraState.Thing(name: $0.state.name, label: $0.state.label, labels: $0.thing.labeler.labels)
        }
    }

    /// The states by the names of their things, also those that are unknown.
    var texts: [String: String] { Dictionary(readings.map { ($0.state.name, $0.text) }) { first, _ in first } }

    /// A line of the summary for each thing, for example `gate: closed 41.0 s, open 12.0 s, unknown 3.0 s; 2 changes`.
    var countLines: [String] {
        readings.map { reading in
            let times = reading.times.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
                .map { "\(TerminalText.printable($0.key)) \(ClockText.seconds($0.value))" }
            return "\(TerminalText.printable(reading.state.name)): "
                + (times.isEmpty ? Self.unknown : times.joined(separator: ", "))
                + "; \(NumberText.count(reading.changes, "change"))"
        }
    }
}
