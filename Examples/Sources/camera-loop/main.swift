// Follows objects in front of a camera, as an app does it: late frames are discarded, results are computed in the camera's
// callback, and each frame is drawn once, with its own results.
//
//     camera-loop [VIDEO [MODEL [PORT]]]
//
// A video (or a folder of pictures) plays the camera, so that this runs anywhere; /dev/video0 is a real one. With a port,
// a browser on this machine shows what is drawn.

import Foundation
import Sightline
import SightlineMedia

let arguments = CommandLine.arguments.dropFirst()
let video = arguments.first ?? "Tests/Fixtures/videos/h264-aac.mp4"
let model = arguments.dropFirst().first ?? "Tests/Fixtures/models/ssd_metadata.tflite"

/// What the app does with a frame.
struct CameraLoop {
    private let detector: StreamDetector
    private let preview: PreviewServer?
    private var annotator = TrackAnnotator()
    private(set) var names: [Int: String] = [:]

    init(model: String, port: Int?) throws {
        detector = try StreamDetector(
            detection: ObjectDetectorOptions(model: LocalModel(url: URL(filePath: model)))
        )
        preview = try port.map { try PreviewServer(port: $0) }
        if let preview { print("Watch at \(preview.address)") }
    }

    /// Called on the camera's own thread; the next frame comes when it returns.
    mutating func captured(_ frame: VideoFrame) throws {
        let result = try detector.result(in: frame)
        for object in result.objects {
            if let id = object.id { names[id] = object.labels.first?.text ?? "object" }
        }
        // Frame and boxes are drawn together, so that boxes never lag behind what is shown.
        guard let preview else { return }
        preview.show(try annotator.annotate(frame, with: result).image)
    }
}

/// Plays a video at its own speed and discards the frames that are late, as a capture session does.
func play(_ video: VideoReader, _ captured: (VideoFrame) throws -> Void) throws {
    let start = ContinuousClock.now
    var latest: Duration?
    while let frame = try video.next() {
        let late = ContinuousClock.now - start - frame.timestamp
        if late < .zero { Thread.sleep(forTimeInterval: late / .seconds(-1)) }
        // A frame is late if the one after it is there already; the first one never is.
        if latest != nil, late > .milliseconds(40) { continue }
        latest = frame.timestamp
        try captured(frame)
    }
}

do {
    var loop = try CameraLoop(model: model, port: arguments.dropFirst(2).first.flatMap { Int($0) })
    try play(VideoReader(contentsOf: URL(filePath: video))) { try loop.captured($0) }
    // How many identities there are depends on which frames came too late.
    print("Seen: \(Set(loop.names.values).sorted().joined(separator: ", "))")
} catch {
    print(error)
    exit(1)
}

// Prints:
// Seen: blue, red
