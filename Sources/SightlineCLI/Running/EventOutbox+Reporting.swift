import CommandLineSupport
import Foundation
import SightlineEvents
import TextFormatting

extension EventOutbox {
    /// Creates an outbox that reports on standard error, beginning with the events of an earlier run.
    ///
    /// - Parameters:
    ///   - transport: the destination.
    ///   - folder: the folder of the outbox; nil to keep events in memory only.
    /// - Throws: `EventError.queue`.
    static func reporting(_ transport: any EventTransport, folder: URL?) async throws(EventError) -> EventOutbox {
        let outbox = try await EventOutbox(transport, folder: folder) { StandardError.report($0) }
        let waiting = await outbox.statistics.restored
        if waiting > 0 {
            StandardError.report(
                "\(NumberText.count(waiting, "event")) of an earlier run \(waiting == 1 ? "waits" : "wait") for \(transport.destination) "
                    + "and \(waiting == 1 ? "is" : "are") sent first."
            )
        }
        return outbox
    }
}
