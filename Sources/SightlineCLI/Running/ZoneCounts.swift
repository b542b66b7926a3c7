import Sightline
import SightlineMedia
import TextFormatting

/// The lines and zones of the command line and their counts.
struct ZoneCounts {
    private var lines: [LineZone]
    private var zones: [PolygonZone]
    /// The number of visits that ended and their total time, for each zone.
    private var ended: [(count: Int, time: Duration)]

    init(_ arguments: TrackCommand, memory: Duration) {
        lines = arguments.line.map { LineZone(from: $0.start, to: $0.end, memory: memory) }
        zones = arguments.zone.map { PolygonZone($0.corners, memory: memory) }
        ended = zones.map { _ in (0, .zero) }
    }

    /// Counts the objects of a frame.
    mutating func update(with result: StreamResult) {
        for index in lines.indices { lines[index].update(with: result.objects, at: result.timestamp) }
        for index in zones.indices {
            for visit in zones[index].update(with: result.objects, at: result.timestamp) {
                ended[index].count += 1
                ended[index].time += visit.dwell
            }
        }
    }

    /// The outlines for drawing, with the present counts.
    var outlines: [AnnotatedScene.Outline] {
        lines.map { line in
            AnnotatedScene.Outline(
                points: [line.start, line.end],
                isClosed: false,
                caption: "\(line.totalIn) in, \(line.totalOut) out"
            )
        }
            + zones.map { zone in
                AnnotatedScene.Outline(
                    points: zone.vertices,
                    isClosed: true,
                    caption: "\(zone.occupants.count) inside, \(zone.totalEntered) entered"
                )
            }
    }

    /// A line of the summary for each line and zone, for example `line 1: 3 in (2 person, 1 dog), 1 out (1 person)`.
    var summary: [String] {
        lines.enumerated().map { index, line in
            let inward = Self.text(line.counts.mapValues(\.inward), total: line.totalIn, "in")
            return "line \(index + 1): \(inward), "
                + Self.text(line.counts.mapValues(\.outward), total: line.totalOut, "out")
        }
            + zones.enumerated().map { index, zone in
                let visits = zone.occupants
                let (count, time) = visits.reduce(ended[index]) { ($0.count + 1, $0.time + $1.dwell) }
                let dwell = count > 0 ? ", \(ClockText.seconds(time / count)) inside on average" : ""
                return "zone \(index + 1): \(Self.text(zone.entered, total: zone.totalEntered, "entered")), "
                    + "\(ended[index].count) left\(dwell)"
            }
    }

    private static func text(_ counts: [String: Int], total: Int, _ what: String) -> String {
        let parts = counts.filter { $0.value > 0 }.sorted {
            $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
        }
        .map { "\($0.value) \(TerminalText.printable($0.key.isEmpty ? "object" : $0.key))" }
        return parts.isEmpty ? "\(total) \(what)" : "\(total) \(what) (\(parts.joined(separator: ", ")))"
    }
}
