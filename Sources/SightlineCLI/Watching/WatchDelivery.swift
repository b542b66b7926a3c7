import DurableFiles
import Foundation
import SightlineEvents

/// The destinations of the events of all cameras.
actor WatchDelivery {
    /// A destination of the events of all cameras, or of those that name it.
    private struct Destination {
        let name: String
        let outbox: EventOutbox
        /// The path of the file; nil for other destinations.
        let path: String?
        /// The folder of events that wait for the file; nil without one.
        var folder: URL?
        let isForAll: Bool
    }

    private var destinations: [Destination] = []
    private var words: [String] = []
    /// Whether pictures of events are sent.
    private(set) var sendsPictures = false
    /// The number of events that destinations of the past did not get.
    private var lost = 0
    private var isChanging = false
    /// The events that come while the destinations change, in their order.
    private var held: [(events: [CameraEvent], path: String?)] = []

    /// The time in which destinations have to accept what waits.
    private static let patience = Duration.seconds(10)

    /// Sets the destinations of a plan. Those that stay the same go on. Events that come meanwhile go to the new destinations.
    ///
    /// - Throws: `EventError`, for example if a file with a secret cannot be read; then events go to fewer destinations.
    func set(_ plan: WatchPlan) async throws {
        isChanging = true
        var failure: (any Error)?
        do { try await change(to: plan) } catch { failure = error }
        while !held.isEmpty {
            let (events, path) = held.removeFirst()
            await deliver(events, alsoTo: path)
        }
        isChanging = false
        if let failure { throw failure }
    }

    private func change(to plan: WatchPlan) async throws {
        let named = Set(plan.cameras.compactMap(\.settings.track.events))
        let paths = named.union([plan.file.events].compactMap(\.self))
        // Two outboxes of one file would mix the order of its events.
        await endFiles { !paths.contains($0) || Self.folder(of: $0, plan) != $1 }
        var next: [Destination] = []
        for path in paths.sorted() {
            let isForAll = path == plan.file.events
            let folder = Self.folder(of: path, plan)
            let known = destinations.first { $0.path == path }?.outbox
            let outbox =
                if let known { known } else {
                    try await EventOutbox.reporting(FileTransport(URL(filePath: path)), folder: folder)
                }
            next.append(Destination(name: path, outbox: outbox, path: path, folder: folder, isForAll: isForAll))
        }
        if words != plan.file.deliveryWords {
            // An outbox holds its folder until its end.
            for destination in destinations where destination.path == nil {
                lost += await destination.outbox.finish(within: Self.patience)
            }
            destinations.removeAll { $0.path == nil }
            for (transport, folder) in try plan.file.delivery.transports() {
                let outbox = try await EventOutbox.reporting(transport, folder: folder)
                destinations.append(
                    Destination(name: transport.destination, outbox: outbox, path: nil, isForAll: true)
                )
            }
            words = plan.file.deliveryWords
            sendsPictures = plan.file.delivery.sendsPictures
        }
        destinations = next + destinations.filter { $0.path == nil }
    }

    /// Ends files by their paths and folders, and forgets them.
    private func endFiles(where isGone: (String, URL?) -> Bool) async {
        let gone = destinations.filter { destination in
            guard let path = destination.path else { return false }
            return isGone(path, destination.folder)
        }
        destinations.removeAll { destination in gone.contains { $0.outbox === destination.outbox } }
        for destination in gone { lost += await destination.outbox.finish(within: Self.patience) }
    }

    /// The folder of the events that wait for a file.
    private static func folder(of path: String, _ plan: WatchPlan) -> URL? {
        let digest = SHA256.hexadecimalDigest(of: Data(path.utf8))
        return plan.file.delivery.folder("file-\(digest.prefix(16))")
    }

    /// Delivers events of a camera.
    ///
    /// - Parameter path: the file of the camera alone, if there is one.
    func publish(_ events: [CameraEvent], alsoTo path: String?) async {
        if isChanging {
            held.append((events, path))
        } else {
            await deliver(events, alsoTo: path)
        }
    }

    private func deliver(_ events: [CameraEvent], alsoTo path: String?) async {
        for destination in destinations where destination.isForAll || path != nil && destination.path == path {
            await destination.outbox.publish(events)
        }
    }

    /// Shows the state of a camera.
    func show(_ state: CameraState) async {
        for destination in destinations where destination.path == nil { await destination.outbox.show(state) }
    }

    /// Shows the picture of a camera's last event.
    ///
    /// - Parameter picture: a JPEG.
    func show(picture: [UInt8], of camera: String) async {
        for destination in destinations where destination.path == nil {
            await destination.outbox.show(picture: picture, of: camera)
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
            var left = lost
            for await count in group { left += count }
            return left
        }
    }

    /// The numbers of all destinations, by name.
    var statistics: [(name: String, EventOutbox.Statistics)] {
        get async {
            var all: [(name: String, EventOutbox.Statistics)] = []
            for destination in destinations {
                all.append((destination.name, await destination.outbox.statistics))
            }
            return all
        }
    }
}
