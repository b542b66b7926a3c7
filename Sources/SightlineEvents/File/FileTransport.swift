import DurableFiles
public import Foundation
import TextFormatting

/// Appends events to a file, a line of JSON each.
///
/// The file is opened for each call, so that other programs may move it away. A torn line at its end, from a kill of the program, goes.
public struct FileTransport: EventTransport {
    private let path: String
    private let files = FileQueue()

    /// Creates a transport.
    public init(_ url: URL) { path = url.path(percentEncoded: false) }

    /// The path of the file.
    public var destination: String { path }

    /// Appends events, and returns when the file has them.
    ///
    /// - Throws: `EventError.unreachable`, for example while the disk is full. The file then has none of the events.
    public func deliver(_ events: [CameraEvent]) async throws(EventError) {
        var text = ""
        for event in events {
            var json = JSONText()
            json.event(event)
            text += json.text + "\n"
        }
        do throws(DurableFileError) {
            try await files.run { [path, text] () throws(DurableFileError) in
                try DurableFile.appendLines(Data(text.utf8), to: path)
            }
        } catch {
            throw .unreachable(destination: path, reason: error.reason, retryAfter: nil)
        }
    }
}
