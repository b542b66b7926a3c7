import DurableFiles
package import Foundation

/// The events that come to several outboxes with folders, until all of these have stored them.
///
/// A kill between two outboxes would otherwise leave an event with one destination alone. Each event is stored here before the first outbox
/// has it, and no outbox delivers it before it has gone from here. So what a kill leaves here was never delivered, and the next run gives it
/// to the outboxes that do not have it.
package actor EventIntake {
    /// An intake with the events that a kill has left in it.
    package struct Opened: Sendable {
        package let intake: EventIntake
        package let events: [CameraEvent]
        /// A sentence about damaged lines in the folder; nil if there are none.
        package let damage: String?
    }

    /// The folder.
    package nonisolated let folder: URL
    private let journal: EventJournal
    private let files = FileQueue()

    private init(_ journal: EventJournal, in folder: URL) { (self.journal, self.folder) = (journal, folder) }

    /// Opens the folder, which is created if necessary.
    ///
    /// - Throws: `EventError.queue` if the folder cannot be used, or if another program uses it.
    package static func open(_ folder: URL) async throws(EventError) -> Opened {
        let opened = try await FileQueue().run { () throws(EventError) in try EventJournal.open(folder) }
        return Opened(intake: EventIntake(opened.journal, in: folder), events: opened.events, damage: opened.damage)
    }

    /// Stores events. Without room on the disk, the outboxes keep them in memory, and say so.
    package func store(_ events: [CameraEvent]) async {
        try? await files.run { [journal] () throws(DurableFileError) in try journal.append(events) }
    }

    /// Removes the first events, which all outboxes have.
    package func remove(_ count: Int) async {
        try? await files.run { [journal] () throws(DurableFileError) in try journal.acknowledge(count) }
    }

    /// Ends the use of the folder.
    package func close() async {
        try? await files.run { [journal] () throws(DurableFileError) in try journal.close() }
    }
}
