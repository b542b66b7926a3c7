import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// The options of a stream, for one video and for each of several cameras.
extension TrackCommand {
    /// The options of the detector, except threads and workers.
    ///
    /// - Throws: an exit code after a message.
    func streamDetection() throws -> ObjectDetectorOptions {
        var options = try detector.options(optimizes: true)
        // --max-objects keeps the objects that are known longest; it does not limit the boxes of a frame.
        options.maximumObjects = nil
        return options
    }

    /// The options for following objects.
    var streamOptions: StreamDetectorOptions {
        var options = StreamDetectorOptions(
            cadence: .every(every),
            compensatesCameraMotion: camera != .fixed,
            usesAppearance: appearance,
            waitsForMotion: motion
        )
        options.tracking.followsCamera = camera != .fixed
        // Hidden objects have no limit: an object beyond it would stay visible.
        options.maximumObjects = detector.maxObjects ?? (hides || detector.findsFaces ? .max : options.maximumObjects)
        // The next key frame can be many seconds later, and show other objects.
        if keyframes { options.tracking.confirmationHits = 1 }
        return options
    }

    /// The options for reading the video.
    var readerOptions: VideoReaderOptions {
        var options = VideoReaderOptions(
            start: from?.time ?? .zero,
            end: to?.time,
            maximumFrameRate: fps,
            keyFramesOnly: keyframes,
            decoder: decoder,
            maximumPixels: limits.forVideos,
            smoothsAllFrames: false
        )
        options.detectionInterval = every
        // With --offline, a second reading has the pictures.
        options.decodesAllFrames = wantsPictures && !offline || readsStatesOfAllFrames
        return options
    }

    /// Whether frames are decoded for states alone, because the detector looks at few of them.
    var readsStatesOfAllFrames: Bool { !state.isEmpty && every > 10 }

    /// The account of a stream, and the places of its counts and events.
    ///
    /// - Parameters:
    ///   - camera: the name of the camera.
    ///   - isLive: whether the stream has no end, so that its counts have dates and follow those of earlier runs.
    func deskSettings(camera: String, isLive: Bool) -> StreamDesk.Settings {
        StreamDesk.Settings(
            camera: camera,
            history: StreamHistory(self),
            counts: counts.map { (URL(filePath: $0), period?.period ?? .seconds(3600)) },
            datesCounts: isLive,
            looksForMotion: motion,
            sendsPictures: !hides,
            readsStatesOfAllFrames: readsStatesOfAllFrames
        )
    }

    /// Refuses outputs that would overwrite each other or the input.
    ///
    /// - Throws: `InputError`.
    func checkOutputs() throws(InputError) {
        var owners = OutputOwners()
        for input in inputs + [detections].compactMap(\.self) where owners.owner(of: input) == nil {
            owners.take(input, for: "the input")
        }
        for (option, path) in [
            ("--output", output.output), ("--events", events), ("--counts", counts), ("--annotate", drawing.annotate),
        ] {
            guard let path, !InputSequence.isFolder(path) else { continue }
            if let other = owners.owner(of: path) {
                throw InputError(
                    reason: "\(option) \(FileName.printed(path)) would overwrite \(other); name another file."
                )
            }
            owners.take(path, for: "the file of \(option)")
        }
    }

    /// Sentences about lines and zones outside the frame.
    func outlineWarnings(in size: PixelSize) -> [String] {
        let outlines =
            line.enumerated().map { ("Line \($1.name ?? "\($0 + 1)")", [$1.start, $1.end]) }
            + zone.enumerated().map { ("Zone \($1.name ?? "\($0 + 1)")", $1.corners) }
        return outlines.filter { Self.isOutside($1, of: size) }.map { outline, _ in
            "\(outline) lies outside the frame of \(size.width) × \(size.height) pixels, where it counts nothing."
        }
            + state.compactMap { state in
                guard state.region.intersection(PixelRect(size)) == nil else { return nil }
                return
                    "The region of \(state.name) lies outside the frame of \(size.width) × \(size.height) pixels, so its state stays unknown."
            }
    }

    /// Whether all points lie beyond the same side of the frame.
    private static func isOutside(_ points: [PixelPoint], of size: PixelSize) -> Bool {
        let (width, height) = (Double(size.width), Double(size.height))
        return points.allSatisfy { $0.x < 0 } || points.allSatisfy { $0.x > width }
            || points.allSatisfy { $0.y < 0 } || points.allSatisfy { $0.y > height }
    }
}
