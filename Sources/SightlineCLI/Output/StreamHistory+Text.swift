import Sightline
import SightlineMedia
import TextFormatting

/// The numbers of a stream as text.
extension StreamHistory {
    init(_ arguments: TrackCommand) {
        let confirmationTime = arguments.confirm?.time ?? .zero
        let anchor = arguments.by?.anchor ?? .bottomCenter
        self.init(
            lines: arguments.line.enumerated().map {
                let name = $1.name ?? "line \($0 + 1)"
                return LineZone(
                    from: $1.start,
                    to: $1.end,
                    name: name,
                    anchor: anchor,
                    confirmationTime: confirmationTime
                )
            },
            zones: arguments.zone.enumerated().map {
                let name = $1.name ?? "zone \($0 + 1)"
                return PolygonZone($1.corners, name: name, anchor: anchor, confirmationTime: confirmationTime)
            }
        )
    }

    /// The number of objects, for example `3 objects: 2 person, 1 dog`.
    var countText: String {
        guard objectCount > 0 else { return "no objects" }
        let classes = labelCounts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map { "\($0.value) \(TerminalText.printable($0.key))" }
        return NumberText.count(objectCount, "object") + ": " + classes.joined(separator: ", ")
    }
    /// A line of the summary for each line and zone, for example `line 1: 3 in (2 person, 1 dog), 1 out (1 person)`.
    ///
    /// Each object counts once for each word.
    var countLines: [String] {
        lines.map { line in
            let inward = Self.text(line.counts.mapValues(\.inward), total: line.totalIn, "in")
            return "\(TerminalText.printable(line.name)): \(inward), "
                + Self.text(line.counts.mapValues(\.outward), total: line.totalOut, "out")
        }
            + zones.enumerated().map { index, zone in
                let (entered, began) = (zone.totalEntered, zone.totalBeganInside)
                var parts = [Self.text(zone.entered, total: entered, "entered")]
                if began > 0 { parts.append(Self.text(zone.beganInside, total: began, "began inside")) }
                parts.append("\(zone.totalLeft) left")
                if zone.totalLastInside > 0 { parts.append("\(zone.totalLastInside) last seen inside") }
                if zone.totalVisitors > 0 {
                    let time = zone.occupants.reduce(endedDwell[index]) { $0 + $1.dwell }
                    parts.append("\(ClockText.seconds(time / zone.totalVisitors)) inside on average")
                }
                return "\(TerminalText.printable(zone.name)): " + parts.joined(separator: ", ")
            }
    }

    private static func text(_ counts: [String: Int], total: Int, _ what: String) -> String {
        let parts = counts.filter { $0.value > 0 }.sorted {
            $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
        }
        .map { "\($0.value) \(TerminalText.printable($0.key))" }
        return parts.isEmpty ? "\(total) \(what)" : "\(total) \(what) (\(parts.joined(separator: ", ")))"
    }
}
