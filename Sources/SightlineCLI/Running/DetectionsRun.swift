import Foundation
import Sightline
import SightlineMedia

/// Follows detections that another program made, without pictures and model.
struct DetectionsRun {
    let options: ObjectTrackerOptions
    /// Frames a second; nil for what the sequence's `seqinfo.ini` says.
    let frameRate: Double?

    /// Frames a second where nobody says it.
    private static let usualFrameRate = 30.0

    /// Gives the result of each frame from the first one on to `deliver`.
    func run(_ file: URL, _ deliver: (StreamResult) throws -> Void) throws {
        let detections = try MOTDetections(contentsOf: file)
        let sequence = MOTSequenceInfo(besides: file)
        let rate = frameRate ?? sequence.frameRate ?? Self.usualFrameRate
        var tracker = ObjectTracker(options: options)
        var next = 1
        for frame in detections.frames {
            // Frames without detections count as long as something can be missed in them.
            while next < frame.number, !tracker.objects.isEmpty {
                try deliver(result([], next, rate, sequence.size, &tracker))
                next += 1
            }
            try deliver(result(frame.detections, frame.number, rate, sequence.size, &tracker))
            next = frame.number + 1
        }
    }

    private func result(
        _ detections: [DetectedObject],
        _ number: Int,
        _ rate: Double,
        _ size: PixelSize,
        _ tracker: inout ObjectTracker
    ) -> StreamResult {
        let time = Duration.seconds(Double(number - 1) / rate)
        let objects = tracker.update(detections, at: time)
            .compactMap { object in object.id.map { (id: $0, object: object) } }
            .sorted { $0.id < $1.id }
            .map(\.object)
        return StreamResult(timestamp: time, index: number - 1, size: size, objects: objects)
    }
}

/// What `seqinfo.ini` of a MOTChallenge sequence says, which lies one folder above `det/det.txt`.
struct MOTSequenceInfo {
    private(set) var frameRate: Double?
    private(set) var size = PixelSize(width: 0, height: 0)

    init(besides detections: URL) {
        let folder = detections.absoluteURL.deletingLastPathComponent().deletingLastPathComponent()
        guard let text = try? String(contentsOf: folder.appending(path: "seqinfo.ini"), encoding: .utf8) else { return }
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(parts[1].trimmingCharacters(in: .whitespaces)), value > 0,
                value < 1e6
            else { continue }
            switch parts[0].trimmingCharacters(in: .whitespaces) {
            case "frameRate": frameRate = value
            case "imWidth": size.width = Int(value)
            case "imHeight": size.height = Int(value)
            default: break
            }
        }
    }
}
