import Foundation
import SightlineEvents

/// The numbers of all cameras and destinations as text for Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// The text is written to a file, which the text collector of Prometheus' node exporter reads.
struct WatchMetrics {
    private var lines: [String] = []

    private mutating func add(
        _ name: String,
        _ type: String,
        _ help: String,
        _ values: [(labels: [(String, String)], value: Double)]
    ) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
        lines += values.map { labels, value in
            let text = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            return "\(name){\(text)} \(Int(exactly: value).map { "\($0)" } ?? "\(value)")"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// The text of cameras and destinations.
    static func text(_ cameras: [(name: String, CameraMetrics)], _ outboxes: [(name: String, EventOutbox.Statistics)])
        -> String
    {
        var text = WatchMetrics()
        func values(_ value: (CameraMetrics) -> Double) -> [(labels: [(String, String)], value: Double)] {
            cameras.map { ([("camera", $0)], value($1)) }
        }
        text.add(
            "sightline_camera_up",
            "gauge",
            "Whether the camera gives pictures.",
            values { $0.isConnected ? 1 : 0 }
        )
        text.add(
            "sightline_camera_connections_total",
            "counter",
            "Connections to the camera.",
            values { Double($0.connections) }
        )
        text.add("sightline_camera_frames_total", "counter", "Frames analyzed.", values { Double($0.frames) })
        text.add(
            "sightline_camera_detections_total",
            "counter",
            "Frames on which the detector ran.",
            values { Double($0.detections) }
        )
        text.add(
            "sightline_camera_dropped_frames_total",
            "counter",
            "Frames dropped because the workers were busy.",
            values { Double($0.dropped) }
        )
        text.add(
            "sightline_camera_delay_seconds_total",
            "counter",
            "Time from the arrival of frames to their results.",
            values { $0.delay / .seconds(1) }
        )
        text.add(
            "sightline_camera_late_frames_total",
            "counter",
            "Frames whose result came later than this after their arrival.",
            cameras.flatMap { name, metrics in
                CameraMetrics.lateness.map { time in
                    ([("camera", name), ("seconds", "\(time / .seconds(1))")], Double(metrics.late[time] ?? 0))
                }
            }
        )
        text.add(
            "sightline_camera_events_total",
            "counter",
            "Events by kind.",
            cameras.flatMap { name, metrics in
                metrics.events.sorted { $0.key < $1.key }.map { ([("camera", name), ("event", $0)], Double($1)) }
            }
        )
        text.add(
            "sightline_camera_failed_pictures_total",
            "counter",
            "Pictures that could not be written.",
            values { Double($0.failedPictures) }
        )
        func numbers(_ value: (EventOutbox.Statistics) -> Int) -> [(labels: [(String, String)], value: Double)] {
            outboxes.map { ([("destination", $0)], Double(value($1))) }
        }
        text.add("sightline_events_delivered_total", "counter", "Events that were delivered.", numbers(\.delivered))
        text.add("sightline_events_waiting", "gauge", "Events that wait for a destination.", numbers(\.waiting))
        text.add(
            "sightline_events_dropped_total",
            "counter",
            "Events dropped because a queue was full.",
            numbers(\.dropped)
        )
        text.add("sightline_events_refused_total", "counter", "Events that a destination refused.", numbers(\.refused))
        return text.lines.joined(separator: "\n") + "\n"
    }
}
