import Foundation
import Sightline
import TextFormatting

/// Writes the events of a stream alone, each at once: rows of CSV in a .csv file, otherwise the lines of ``ResultFormat/jsonLines``.
///
/// In a row of the event `state`, the column `zone` has the name of the thing.
///
/// ```swift
/// let file = try EventFile(URL(filePath: "events.csv"))
/// for try await event in detector.events(in: video.frames(), history: history) { try file.append(event) }
/// ```
public struct EventFile: Sendable {
    private let file: TextFile
    private let isCSV: Bool

    private static let heading = ["event", "time", "id", "label", "line", "zone", "direction", "dwell", "repeated"]

    /// Creates a file, or empties an existing file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - continues: whether events follow those of an existing file, for a stream that cannot be read again. A torn line at its
    ///     end is removed.
    /// - Throws: `MediaError.unwritable`, `.diskFull`, or `.inUse` if another program writes the file.
    public init(_ url: URL, continues: Bool = false) throws(MediaError) {
        isCSV = url.pathExtension.lowercased() == "csv"
        file = continues ? try TextFile(continuing: url) : try TextFile(url)
        if isCSV, file.byteCount == 0 { try file.write(CSVText.row(Self.heading)) }
    }

    /// Writes an event.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    public func append(_ event: StreamEvent) throws(MediaError) {
        try file.write(isCSV ? Self.row(event) : Self.line(event))
    }

    private static func line(_ event: StreamEvent) -> String {
        var json = JSONText()
        json.event(event)
        return json.text + "\n"
    }

    private static func row(_ event: StreamEvent) -> String {
        let (line, zone, direction, dwell, isRepeated) =
            switch event {
            case .line(let event): (event.line, "", event.direction.rawValue, "", event.isRepeated)
            case .zone(let event):
                (
                    "", event.zone, "", event.kind.hasDwell ? CSVText.thousandths(event.dwell.seconds) : "",
                    event.isRepeated
                )
            case .object: ("", "", "", "", false)
            case .state(let event): ("", event.thing, "", "", false)
            }
        return CSVText.row([
            event.name, CSVText.thousandths(event.time.seconds), "\(event.id)", event.label, line, zone, direction,
            dwell, isRepeated ? "1" : "0",
        ])
    }
}
