import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// Tracks the detections of another program, without pictures and model.
struct DetectionsRun {
    let options: ObjectTrackerOptions
    /// The frames in a second; nil for the value in the sequence's `seqinfo.ini`.
    let frameRate: Double?

    /// The frames in a second if neither the command line nor the sequence has a value.
    private static let usualFrameRate = 30.0

    /// Calls `deliver` with the result of each frame, from the first frame on.
    func run(_ file: URL, _ deliver: (StreamResult) throws -> Void) throws {
        let detections = try MOTDetections(contentsOf: file)
        if detections.unscoredCount > 0 {
            StandardError.report(
                "\(NumberText.count(detections.unscoredCount, "detection")) without a score (-1) counted as certain."
            )
        }
        if detections.negativeCount > 0 {
            StandardError.report(
                "Left out \(NumberText.count(detections.negativeCount, "detection")) with a score below 0; scale scores to 0…1."
            )
        }
        let sequence = MOTSequence(ofDetections: file)
        let rate = frameRate ?? sequence.frameRate ?? Self.usualFrameRate
        var tracker = ObjectTracker(options: options)
        var next = 1
        for frame in detections.frames {
            // Frames without detections matter as long as the tracker follows objects.
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
        let known = tracker.identities
        let followed = tracker.update(detections, at: time)
        let objects = followed.compactMap { object in object.id.map { (id: $0, object: object) } }
            .sorted { $0.id < $1.id }
            .map(\.object)
        let ended = known.subtracting(tracker.identities).sorted()
        return StreamResult(
            timestamp: time,
            index: number - 1,
            size: size,
            objects: objects,
            tentative: followed.filter { $0.id == nil },
            ended: ended
        )
    }
}
