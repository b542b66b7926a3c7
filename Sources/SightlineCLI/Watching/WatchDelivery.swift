import CommandLineSupport
import DurableFiles
import Foundation
import SightlineEvents

/// The destinations of the events of all cameras.
actor WatchDelivery {
    /// A destination of the events of all cameras, or of those that name it.
    private struct Destination {
        let outbox: EventOutbox
        /// The path of the file; nil for other destinations.
        let path: String?
        let isForAll: Bool
    }

    private var destinations: [Destination] = []
    private var words: [String] = []
    /// The number of events that destinations of the past did not get.
    private var lost = 0

    /// The time in which destinations have to accept what waits.
    private static let patience = Duration.seconds(10)

    /// Sets the destinations of a plan. Those that stay the same go on.
    ///
    /// - Throws: `EventError`; then the destinations stay as they were.
    func set(_ plan: WatchPlan) async throws {
        let named = Set(plan.cameras.compactMap(\.settings.track.events))
        let paths = named.union([plan.file.events].compactMap(\.self))
        var next: [Destination] = []
        for path in paths.sorted() {
            let isForAll = path == plan.file.events
            if let known = destinations.first(where: { $0.path == path && $0.isForAll == isForAll }) {
                next.append(known)
            } else {
                let outbox = try await EventOutbox(FileTransport(URL(filePath: path)), report: StandardError.report)
                next.append(Destination(outbox: outbox, path: path, isForAll: isForAll))
            }
        }
        if words == plan.file.deliveryWords, !destinations.isEmpty {
            next += destinations.filter { $0.path == nil }
        } else {
            for outbox in try await plan.file.delivery.outboxes() {
                next.append(Destination(outbox: outbox, path: nil, isForAll: true))
            }
        }
        words = plan.file.deliveryWords
        let kept = next.map { ObjectIdentifier($0.outbox) }
        let gone = destinations.filter { !kept.contains(ObjectIdentifier($0.outbox)) }
        destinations = next
        for destination in gone { lost += await destination.outbox.finish(within: Self.patience) }
    }

    /// Delivers events of a camera.
    ///
    /// - Parameter path: the file of the camera alone, if there is one.
    func publish(_ events: [CameraEvent], alsoTo path: String?) async {
        for destination in destinations where destination.isForAll || path != nil && destination.path == path {
            await destination.outbox.publish(events)
        }
    }

    /// Shows the state of a camera.
    func show(_ state: CameraState, picture: [UInt8]?) async {
        for destination in destinations where destination.path == nil {
            await destination.outbox.show(state, picture: picture)
        }
    }

    /// Ends all destinations after the events that wait, all at the same time.
    ///
    /// - Returns: the number of events that were not delivered.
    func finish() async -> Int {
        let outboxes = destinations.map(\.outbox)
        destinations = []
        return await withTaskGroup(of: Int.self) { group in
            for outbox in outboxes { group.addTask { await outbox.finish(within: Self.patience) } }
            return await group.reduce(lost, +)
        }
    }

    /// The numbers of all destinations, by name.
    var statistics: [(name: String, EventOutbox.Statistics)] {
        get async {
            var all: [(name: String, EventOutbox.Statistics)] = []
            for destination in destinations {
                all.append((destination.outbox.destination, await destination.outbox.statistics))
            }
            return all
        }
    }
}
