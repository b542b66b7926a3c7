import DurableFiles
public import Foundation
import TextFormatting

/// Appends events to a file, a line of JSON each.
///
/// The file is opened for each call, so that other programs may move it away. A torn line at its end, from a kill of the program, is removed.
/// The file has each event once, also if an outbox delivers it again after a kill.
public actor FileTransport: EventTransport {
    /// The path of the file.
    public nonisolated let destination: String
    private let files = FileQueue()
    /// Whether the file may already have the events.
    private var mayRepeat = true

    /// The size of the end of the file, in bytes, that is searched for repeated events.
    private static let repeatedSize = 1 << 20

    /// Creates a transport.
    public init(_ url: URL) { destination = url.path(percentEncoded: false) }

    /// Appends events, and returns when the file has them.
    ///
    /// - Throws: `EventError.unwritable`, for example while the disk is full. The file then has none of the events.
    public func deliver(_ events: [CameraEvent]) async throws(EventError) {
        do throws(DurableFileError) {
            try await files.run { [destination, mayRepeat] () throws(DurableFileError) in
                var events = events
                if mayRepeat {
                    let last = try DurableFile.end(of: destination, size: Self.repeatedSize)
                    // A torn line, which is removed, does not count.
                    let lines = last[..<(last.lastIndex(of: "\n") ?? last.startIndex)]
                    events.removeAll { lines.contains("{\"uid\":\"\($0.id)\"") }
                }
                try DurableFile.appendLines(Data(Self.lines(events).utf8), to: destination)
            }
            mayRepeat = false
        } catch {
            throw .unwritable(path: destination, reason: error.reason)
        }
    }

    private static func lines(_ events: [CameraEvent]) -> String {
        events.map { event in
            var json = JSONText()
            json.event(event)
            return json.text + "\n"
        }.joined()
    }
}
