import Sightline
import SightlineMedia
import TextFormatting

/// What became of the objects of a stream: a row for each that is gone, and counts at the end.
///
/// An object is kept only as long as it can come back, so that memory does not grow with the length of a stream.
struct TrackReport {
    private struct Sighting {
        var label: Label?
        var firstSeen: Duration
        var lastSeen: Duration
        var confidenceSum: Double
        var count: Int
    }

    private var present: [Int: Sighting] = [:]
    private(set) var identityCount = 0
    private var labelCounts: [String: Int] = [:]
    private(set) var frameCount = 0
    private(set) var droppedFrames = 0
    /// Objects that are not seen for longer than this do not come back.
    private let memory: Duration

    init(memory: Duration) {
        self.memory = memory
    }

    /// Takes in a frame; gives the rows of the objects that are gone.
    mutating func rows(after result: StreamResult) -> String {
        frameCount += 1
        droppedFrames = result.droppedFrames
        for object in result.objects {
            guard let track = object.track, let id = track.id else { continue }
            var sighting =
                present[id]
                ?? Sighting(firstSeen: track.firstSeen, lastSeen: track.firstSeen, confidenceSum: 0, count: 0)
            sighting.label = object.labels.first ?? sighting.label
            sighting.lastSeen = result.timestamp
            sighting.confidenceSum += Double(object.confidence)
            sighting.count += 1
            present[id] = sighting
        }
        let gone = present.filter { result.timestamp - $0.value.lastSeen > memory }
        return end(gone)
    }

    /// The rows of the objects that are still there.
    mutating func finalRows() -> String { end(present) }

    private mutating func end(_ sightings: [Int: Sighting]) -> String {
        sightings.sorted { $0.key < $1.key }.map { id, sighting in
            present[id] = nil
            identityCount += 1
            labelCounts[sighting.label?.displayText ?? "object", default: 0] += 1
            return Self.row([
                "\(id)", sighting.label?.displayText ?? "object", ClockText.text(sighting.firstSeen),
                ClockText.text(sighting.lastSeen), ClockText.seconds(sighting.lastSeen - sighting.firstSeen),
                NumberText.percentage(Float(sighting.confidenceSum / Double(max(sighting.count, 1)))),
            ])
        }.joined()
    }

    /// The heading of the rows.
    static let heading = row(["ID", "LABEL", "FIRST SEEN", "LAST SEEN", "DURATION", "CONFIDENCE"])

    /// Rows come one by one, so that columns cannot be as wide as their widest cell.
    private static func row(_ cells: [String]) -> String {
        let widths = [6, 20, 12, 12, 10, 10]
        let padded = zip(cells, widths).enumerated().map { column, cell in
            let text = TerminalText.shortened(TerminalText.printable(cell.0), to: cell.1)
            let space = String(repeating: " ", count: max(cell.1 - TerminalText.width(text), 0))
            return column == 1 ? text + space : space + text
        }
        return padded.joined(separator: "  ") + "\n"
    }

    /// How many objects there were of each label, for example `3 objects: 2 person, 1 dog`.
    var countText: String {
        guard identityCount > 0 else { return "no objects" }
        let labels = labelCounts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map { "\($0.value) \(TerminalText.printable($0.key))" }
        return "\(identityCount) object\(identityCount == 1 ? "" : "s"): " + labels.joined(separator: ", ")
    }
}

/// Times of a video for people.
enum ClockText {
    /// For example `1:02:03.4` or `0:07.2`.
    static func text(_ time: Duration) -> String {
        guard time.seconds.isFinite, time >= .zero else { return seconds(time) }
        let tenths = Int((time.seconds * 10).rounded())
        let (hours, minutes, rest) = (tenths / 36_000, tenths / 600 % 60, tenths % 600)
        let clock = "\(rest < 100 ? "0" : "")\(rest / 10).\(rest % 10)"
        guard hours > 0 else { return "\(minutes):\(clock)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(clock)"
    }

    /// For example `7.2 s`.
    static func seconds(_ time: Duration) -> String { "\((time.seconds * 10).rounded() / 10) s" }
}
