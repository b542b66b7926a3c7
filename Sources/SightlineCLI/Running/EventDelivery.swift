import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineEvents
import SightlineMedia
import TextFormatting

/// Sends the events of a stream to the destinations on the command line.
actor EventDelivery {
    private let destinations: [(name: String, outbox: EventOutbox, folder: URL?)]
    private let camera: String
    /// Whether times of the stream are times of this machine's clock. The events of a video have the date on which they are found.
    private let isLive: Bool
    /// Draws the picture of the last event; nil if nobody wants pictures.
    private let pictures: EventPictures?
    private var shown: CameraState?
    /// The time of the newest frame.
    private var time = Duration.zero

    /// The time for events that still wait at the end.
    private static let lastTime = Duration.seconds(10)

    /// Nil if the command line has no destination.
    ///
    /// - Throws: `EventError`.
    init?(_ arguments: TrackCommand, input: String, isLive: Bool) async throws {
        guard arguments.sending.isUsed else { return nil }
        camera = arguments.sending.camera(of: input)
        self.isLive = isLive
        pictures = arguments.sendsEventPictures ? EventPictures() : nil
        var destinations: [(name: String, outbox: EventOutbox, folder: URL?)] = []
        let hidesPictures = !arguments.sendsEventPictures
        for (transport, folder) in try arguments.sending.transports(hidesPictures: hidesPictures) {
            let outbox = try await EventOutbox.reporting(transport, folder: folder)
            destinations.append((transport.destination, outbox, folder))
        }
        self.destinations = destinations
    }

    /// Sends the events of a frame, and the state of the camera if it is another one.
    ///
    /// - Parameter frame: the frame; nil if its picture is not known.
    func send(
        _ events: [StreamEvent],
        _ result: StreamResult,
        frame: VideoFrame?,
        history: StreamHistory
    ) async {
        time = result.timestamp
        await send(events, history: history, hasMotion: result.hasMotion)
        guard !events.isEmpty, result.isDetected, let frame, let pictures else { return }
        let analyzed = AnalyzedFrame(frame: frame, result: result)
        await pictures.draw(analyzed, outlines: history.outlines) { [destinations, camera] picture in
            for destination in destinations { await destination.outbox.show(picture: picture, of: camera) }
        }
    }

    /// Sends events, and the state of the camera if it is another one.
    func send(_ events: [StreamEvent], history: StreamHistory, hasMotion: Bool? = nil) async {
        let now = Date()
        let dated = events.map { event in
            CameraEvent(
                camera: camera,
                event: event,
                date: isLive ? now.addingTimeInterval((event.time - time) / .seconds(1)) : now
            )
        }
        let state = CameraState(camera: camera, history: history, hasMotion: hasMotion ?? shown?.hasMotion)
        for destination in destinations {
            if !dated.isEmpty { await destination.outbox.publish(dated) }
            if state != shown { await destination.outbox.show(state) }
        }
        shown = state
    }

    /// Sends what waits, and ends.
    ///
    /// - Returns: a line of the summary for each destination, and the number of events that were not delivered.
    func finish() async -> (lines: [String], undelivered: Int) {
        await pictures?.finish()
        var lines: [String] = []
        var undelivered = 0
        for (name, outbox, folder) in destinations {
            let left = await outbox.finish(within: Self.lastTime)
            let numbers = await outbox.statistics
            undelivered += left
            lines.append(line(name, numbers, left, folder))
        }
        return (lines, undelivered)
    }

    /// For example `12 events delivered to https://door.local; 3 not delivered`.
    private func line(_ name: String, _ numbers: EventOutbox.Statistics, _ left: Int, _ folder: URL?) -> String {
        var line = "\(NumberText.count(numbers.delivered, "event")) delivered to \(name)"
        guard left > 0 else { return line }
        line += "; \(left) not delivered"
        var parts: [String] = []
        if numbers.refused > 0 { parts.append("\(numbers.refused) refused") }
        if numbers.dropped > 0 { parts.append("\(numbers.dropped) dropped because the queue was full") }
        if numbers.waiting > 0 {
            let place = folder.map { "wait in \($0.path(percentEncoded: false)) for the next run" } ?? "lost"
            parts.append("\(numbers.waiting) \(place)")
        }
        return line + " (\(parts.joined(separator: ", ")))"
    }
}
