import ArgumentParser
import Foundation
import Sightline

/// Runs the tracker alone over MOTChallenge detections, writes what it finds, and says how long a frame took.
@main
struct TrackingBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracking-benchmarks",
        abstract: "Runs the tracker alone over MOTChallenge detections and says how long a frame took."
    )

    @Argument(help: "Folders of sequences, each with det/det.txt and seqinfo.ini.")
    var sequences: [String]
    @Option(help: "The folder for results, one NAME.txt per sequence.")
    var output: String
    @Option(help: "The high threshold for detections of YOLOX and the like.")
    var threshold: Float = 0.6
    @Option(help: "The high threshold for detections of DPM and Faster R-CNN.")
    var publicThreshold: Float = 0.5
    @Option(help: "Give the tracker the detections of every Nth frame only; it predicts boxes on the frames between.")
    var every = 1
    @Flag(help: "Improve the tracks at the end of each sequence.")
    var offline = false
    @Option(help: "Runs of each sequence; the fastest counts.")
    var rounds = 1
    @Option(help: "Write the times to this file as JSON.")
    var json: String?

    mutating func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
        guard every > 0 else { throw ValidationError("--every must be at least 1") }
    }

    func run() throws {
        let folder = URL(filePath: output)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var milliseconds: [String: Double] = [:]
        var total = (frames: 0, milliseconds: 0.0)
        for path in sequences {
            let sequence = try MOTSequence(contentsOf: URL(filePath: path))
            var options = ObjectTrackerOptions()
            options.highThreshold = sequence.isPublicDetector ? publicThreshold : threshold
            var best = Double.infinity
            var results: [[DetectedObject]] = []
            for _ in 0..<rounds {
                // The processor's time, since others may use the machine as well.
                let start = clock()
                results = track(sequence, options)
                best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1000)
            }
            try Data(sequence.text(of: results).utf8).write(to: folder.appending(path: "\(sequence.name).txt"))
            let perFrame = best / Double(max(sequence.frames.count, 1))
            milliseconds[sequence.name] = perFrame
            total.frames += sequence.frames.count
            total.milliseconds += best
            print(
                "Track:\(offline ? "Offline" : "Alone"):\(sequence.name)",
                perFrame.formatted(.number.precision(.fractionLength(4))),
                "ms a frame"
            )
        }
        print(
            "Track:\(offline ? "Offline" : "Alone"):All",
            (total.milliseconds / Double(max(total.frames, 1))).formatted(.number.precision(.fractionLength(4))),
            "ms a frame,",
            total.frames,
            "frames"
        )
        if let json { try JSONEncoder().encode(milliseconds).write(to: URL(filePath: json)) }
    }

    /// The objects of each frame.
    private func track(_ sequence: MOTSequence, _ options: ObjectTrackerOptions) -> [[DetectedObject]] {
        var tracker = ObjectTracker(options: options)
        var results: [[DetectedObject]] = []
        results.reserveCapacity(sequence.frames.count)
        var finisher = OfflineTracker()
        for (index, detections) in sequence.frames.enumerated() {
            let time = Duration.seconds(Double(index) / sequence.frameRate)
            let objects = index.isMultiple(of: every) ? tracker.update(detections, at: time) : tracker.advance(to: time)
            guard offline else {
                results.append(objects)
                continue
            }
            finisher.append(
                StreamResult(
                    timestamp: time,
                    index: index,
                    size: PixelSize(width: 0, height: 0),
                    objects: objects.filter { $0.id != nil },
                    tentative: objects.filter { $0.id == nil }
                )
            )
        }
        return offline ? finisher.finish().map(\.objects) : results
    }
}
