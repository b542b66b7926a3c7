// Tracks objects in front of a camera like an app: it discards late frames, computes results in the camera's callback, and
// draws each frame once, with its own results.
//
//     camera-loop [VIDEO [MODEL [PORT]]]
//
// A video (or a folder of pictures) replaces the camera, so that the example runs anywhere; /dev/video0 is a real camera.
// With a port, a browser on this machine shows the drawn frames.

import Foundation
import Sightline
import SightlineMedia

let arguments = CommandLine.arguments.dropFirst()
let video = arguments.first ?? "Tests/Fixtures/videos/h264-aac.mp4"
let model = arguments.dropFirst().first ?? "Tests/Fixtures/models/ssd_metadata.tflite"

/// The app's processing of frames.
struct CameraLoop {
    private let detector: StreamDetector
    private let preview: PreviewServer?
    private var renderer = PictureRenderer([TraceAnnotator(), BoxAnnotator(), LabelAnnotator()])
    private(set) var names: [Int: String] = [:]

    init(model: String, port: Int?) throws {
        detector = try StreamDetector(
            detection: ObjectDetectorOptions(model: LocalModel(url: URL(filePath: model)))
        )
        preview = try port.map { try PreviewServer(port: $0) }
        if let preview { print("Watch at \(preview.address)") }
    }

    /// Called on the camera's own thread; the next frame arrives after it returns.
    mutating func captured(_ frame: VideoFrame) throws {
        let result = try detector.result(in: frame)
        for object in result.objects {
            if let id = object.id { names[id] = object.labels.first?.text ?? "object" }
        }
        // Frame and boxes are drawn together, so that boxes never lag behind the shown frame.
        guard let preview else { return }
        preview.show(try renderer.render(AnnotatedScene(result), on: frame).image)
    }
}

/// Plays a video at its own speed and discards late frames, like a capture session.
func play(_ video: VideoReader, _ captured: (VideoFrame) throws -> Void) throws {
    let start = ContinuousClock.now
    var latest: Duration?
    while let frame = try video.next() {
        let late = ContinuousClock.now - start - frame.timestamp
        if late < .zero { Thread.sleep(forTimeInterval: late / .seconds(-1)) }
        // A frame is late if the following frame is already due; the first frame is never late.
        if latest != nil, late > .milliseconds(40) { continue }
        latest = frame.timestamp
        try captured(frame)
    }
}

do {
    var loop = try CameraLoop(model: model, port: arguments.dropFirst(2).first.flatMap { Int($0) })
    try play(VideoReader(contentsOf: URL(filePath: video))) { try loop.captured($0) }
    // The number of identities depends on the discarded frames.
    print("Seen: \(Set(loop.names.values).sorted().joined(separator: ", "))")
} catch {
    print(error)
    exit(1)
}

// Prints:
// Seen: blue, red
