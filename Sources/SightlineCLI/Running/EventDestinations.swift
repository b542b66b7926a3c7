import CommandLineSupport
import Foundation
import SightlineEvents
import TextFormatting

/// The destinations of the events, states and pictures of all cameras.
///
/// Destinations change as a set: ``prepare(_:)`` opens the new ones, and may fail, while the old ones are in use; ``change(to:)`` cannot
/// fail. A new destination gets the last state of each camera at once.
actor EventDestinations {
    private struct Destination {
        let place: EventPlace
        let outbox: EventOutbox
    }

    /// Destinations that are ready to take the place of the present ones.
    struct Prepared: Sendable {
        /// Each place with its new outbox; nil if it stays, or if its folder is in use until another destination has ended.
        fileprivate var parts: [(place: EventPlace, outbox: EventOutbox?)] = []
        /// The new intake, with the events that a kill has left in it; nil if the present one stays, or if none is needed.
        fileprivate var intake: EventIntake.Opened?
    }

    /// An item for the destinations, sent once these have changed.
    private enum Held {
        case events([CameraEvent])
        case state(CameraState)
        case end(camera: String)
    }

    /// The end of a destination.
    struct Ending: Sendable {
        let place: EventPlace
        private(set) var statistics: EventOutbox.Statistics
        /// The number of events that were not delivered.
        private(set) var undelivered: Int

        fileprivate init(_ place: EventPlace, _ statistics: EventOutbox.Statistics, undelivered: Int) {
            (self.place, self.statistics, self.undelivered) = (place, statistics, undelivered)
        }

        /// Leaves the events that wait to the next destination with the folder.
        fileprivate mutating func passOnWaiting() {
            undelivered -= statistics.waiting
            statistics.waiting = 0
        }
    }

    private var destinations: [Destination] = []
    /// Events until all destinations with folders have stored them; nil if no destination has a folder.
    private var intake: EventIntake?
    /// The end of the last delivery to the outboxes, which each delivery waits for.
    private var lastDelivery: Task<Void, Never>?
    /// The last states of the cameras.
    private var states: [String: CameraState] = [:]
    /// The number of events that earlier destinations did not get.
    private(set) var undelivered = 0
    /// The items that arrive while the destinations change, in order; nil otherwise.
    private var held: [Held]?

    /// The time in which a destination has to accept pending items.
    private let lastTime: Duration

    init(lastTime: Duration = .seconds(10)) { self.lastTime = lastTime }

    /// Whether a destination shows pictures of events.
    var wantsPictures: Bool { destinations.contains { $0.place.wantsPictures } }

    // MARK: Changing

    /// Opens the destinations that are new. The present ones stay in use.
    ///
    /// - Throws: `EventError`; then nothing has changed.
    func prepare(_ places: [EventPlace]) async throws(EventError) -> Prepared {
        var prepared = Prepared()
        do throws(EventError) {
            for place in places {
                let present = destinations.map(\.place)
                // An outbox holds its folder until its end.
                let waits = present.contains { $0.isSame(as: place) || $0.folder != nil && $0.folder == place.folder }
                prepared.parts.append((place, waits ? nil : try await Self.outbox(of: place, in: place.folder)))
            }
            if let folder = Self.intakeFolder(of: places), folder != intake?.folder {
                prepared.intake = try await EventIntake.open(folder)
            }
        } catch {
            await discard(prepared)
            throw error
        }
        return prepared
    }

    /// Closes prepared destinations that are not used after all.
    func discard(_ prepared: Prepared) async {
        for part in prepared.parts { _ = await part.outbox?.finish(within: .zero) }
        await prepared.intake?.intake.close()
    }

    /// The folder beside those of the destinations.
    private static func intakeFolder(of places: [EventPlace]) -> URL? {
        places.compactMap(\.folder).first?.deletingLastPathComponent().appending(path: intakeName)
    }

    private static let intakeName = "incoming"

    /// Replaces the present destinations with prepared ones. Events, states and ends of cameras that come meanwhile go to the new
    /// ones, in their order.
    ///
    /// - Parameter cameras: the names of all cameras, so that new destinations remove what earlier runs left there of others; nil
    ///   to leave that.
    func change(to prepared: Prepared, cameras: Set<String>? = nil) async {
        held = []
        // Events that came before go to the present ones.
        await lastDelivery?.value
        let old = destinations
        let gone = old.filter { old in !prepared.parts.contains { $0.place.isSame(as: old.place) } }
        for old in gone where !prepared.parts.contains(where: { old.place.isFollowed(by: $0.place) }) {
            for camera in states.keys where old.place.takes(camera) { await old.outbox.retire(camera) }
        }
        // A broker takes the last messages of an old destination before the first ones of a new one.
        for var ending in await finish(gone) {
            if let folder = ending.place.folder, prepared.parts.contains(where: { $0.place.folder == folder }) {
                ending.passOnWaiting()
            }
            undelivered += ending.undelivered
            ending.reportUndelivered()
        }
        var new: [EventOutbox] = []
        destinations = []
        for (place, prepared) in prepared.parts {
            if let known = old.first(where: { $0.place.isSame(as: place) }) {
                destinations.append(Destination(place: place, outbox: known.outbox))
                continue
            }
            guard let outbox = if let prepared { prepared } else { await Self.reopened(place) } else { continue }
            destinations.append(Destination(place: place, outbox: outbox))
            new.append(outbox)
        }
        for destination in destinations where new.contains(where: { $0 === destination.outbox }) {
            for state in states.values where destination.place.takes(state.camera) {
                await destination.outbox.show(state)
            }
            if let cameras { await destination.outbox.retire(allBut: cameras) }
        }
        if Self.intakeFolder(of: destinations.map(\.place)) != intake?.folder {
            await intake?.close()
            intake = prepared.intake?.intake
        }
        if let left = prepared.intake {
            left.damage.map(StandardError.report)
            await reportForsaken(in: left.intake.folder.deletingLastPathComponent())
            for destination in destinations where destination.place.folder != nil {
                await destination.outbox.publishMissing(left.events.filter { destination.place.takes($0.camera) })
            }
            await left.intake.remove(left.events.count)
        }
        while let next = held?.first {
            held?.removeFirst()
            await deliver(next)
        }
        held = nil
    }

    /// Reports the events in a queue that wait for a destination of an earlier run, which this run does not have.
    private func reportForsaken(in queue: URL) async {
        let folders = Set(destinations.compactMap(\.place.folder?.lastPathComponent))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: queue.path(percentEncoded: false))) ?? []
        for name in names.sorted() where !folders.contains(name) && name != Self.intakeName {
            let count = await EventOutbox.waitingCount(in: queue.appending(path: name))
            guard count > 0 else { continue }
            StandardError.report(
                "\(NumberText.count(count, "event")) of an earlier run \(count == 1 ? "waits" : "wait") in "
                    + "\(FileName.printed(queue.appending(path: name).path(percentEncoded: false))) for a destination that this run does "
                    + "not have; name it again to send them, or remove the folder."
            )
        }
    }

    /// An outbox that reports on standard error, beginning with the events of an earlier run.
    private static func outbox(of place: EventPlace, in folder: URL?) async throws(EventError) -> EventOutbox {
        let outbox = try await EventOutbox(place.transport, folder: folder) { StandardError.report($0) }
        let waiting = await outbox.statistics.restored
        if waiting > 0 {
            StandardError.report(
                "\(NumberText.count(waiting, "earlier event")) \(waiting == 1 ? "waits" : "wait") for \(place.name) "
                    + "and \(waiting == 1 ? "is" : "are") sent first."
            )
        }
        return outbox
    }

    /// An outbox in a folder that another one has just left. Without the folder, events wait in memory.
    private static func reopened(_ place: EventPlace) async -> EventOutbox? {
        do throws(EventError) {
            return try await outbox(of: place, in: place.folder)
        } catch {
            StandardError.report("\(error.description) Events for \(place.name) are kept in memory.")
            return try? await outbox(of: place, in: nil)
        }
    }

    // MARK: Events

    /// Delivers events to all destinations that take their cameras.
    func publish(_ events: [CameraEvent]) async {
        if !events.isEmpty { await take(.events(events)) }
    }

    /// Shows the state of a camera, after the events that were published before.
    func show(_ state: CameraState) async { await take(.state(state)) }

    /// Removes from destinations what they keep of a camera that does not come back, and forgets it.
    func retire(_ camera: String) async { await take(.end(camera: camera)) }

    private func take(_ next: Held) async {
        if held != nil { held?.append(next) } else { await deliver(next) }
    }

    private func deliver(_ next: Held) async {
        switch next {
        case .events(let events):
            let earlier = lastDelivery
            let delivery = Task {
                await earlier?.value
                await publishToAll(events)
            }
            lastDelivery = delivery
            await delivery.value
        case .state(let state):
            states[state.camera] = state
            for destination in destinations where destination.place.takes(state.camera) {
                await destination.outbox.show(state)
            }
        case .end(let camera):
            states[camera] = nil
            for destination in destinations where destination.place.takes(camera) {
                await destination.outbox.retire(camera)
            }
        }
    }

    /// Stores events with all destinations, and only then lets these deliver them.
    private func publishToAll(_ events: [CameraEvent]) async {
        let intake = intake
        await intake?.store(events)
        var stored: [(outbox: EventOutbox, count: Int)] = []
        for destination in destinations {
            let taken = events.filter { destination.place.takes($0.camera) }
            if !taken.isEmpty { stored.append((destination.outbox, await destination.outbox.store(taken))) }
        }
        await intake?.remove(events.count)
        for (outbox, count) in stored { await outbox.release(count) }
    }

    /// Shows the picture of a camera's last event.
    ///
    /// - Parameter picture: a JPEG.
    func show(picture: [UInt8], of camera: String) async {
        for destination in destinations where destination.place.wantsPictures {
            await destination.outbox.show(picture: picture, of: camera)
        }
    }

    // MARK: End

    /// Ends all destinations after the events that wait, all at the same time.
    func finish() async -> [Ending] {
        await lastDelivery?.value
        let last = destinations
        destinations = []
        let endings = await finish(last)
        for ending in endings { undelivered += ending.undelivered }
        await intake?.close()
        intake = nil
        return endings
    }

    private func finish(_ destinations: [Destination]) async -> [Ending] {
        await withTaskGroup(of: (Int, Ending).self) { [lastTime] group in
            for (index, destination) in destinations.enumerated() {
                group.addTask {
                    let left = await destination.outbox.finish(within: lastTime)
                    let numbers = await destination.outbox.statistics
                    return (index, Ending(destination.place, numbers, undelivered: left))
                }
            }
            var endings: [(Int, Ending)] = []
            for await ending in group { endings.append(ending) }
            return endings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// The numbers of all destinations, by name.
    var statistics: [(name: String, EventOutbox.Statistics)] {
        get async {
            var all: [(name: String, EventOutbox.Statistics)] = []
            for destination in destinations {
                all.append((destination.place.name, await destination.outbox.statistics))
            }
            return all
        }
    }
}

extension EventDestinations.Ending {
    /// Reports the events that were not delivered, if there are any.
    func reportUndelivered() {
        if undelivered > 0 { StandardError.report(summary) }
    }

    /// For example `12 events delivered to https://door.local; 3 not delivered (3 lost)`.
    var summary: String {
        let line = "\(NumberText.count(statistics.delivered, "event")) delivered to \(place.name)"
        guard undelivered > 0 else { return line }
        var parts: [String] = []
        if statistics.refused > 0 { parts.append("\(statistics.refused) refused") }
        if statistics.dropped > 0 { parts.append("\(statistics.dropped) dropped because the queue was full") }
        if statistics.waiting > 0 {
            let rest = place.folder.map { "wait in \($0.path(percentEncoded: false)) for the next run" } ?? "lost"
            parts.append("\(statistics.waiting) \(rest)")
        }
        return line + "; \(undelivered) not delivered (\(parts.joined(separator: ", ")))"
    }
}
