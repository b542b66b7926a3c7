import CommandLineSupport
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

    /// How objects are followed.
    var streamOptions: StreamDetectorOptions {
        var options = StreamDetectorOptions(
            cadence: .every(every),
            compensatesCameraMotion: camera != .fixed,
            usesAppearance: appearance,
            waitsForMotion: motion
        )
        options.tracking.followsCamera = camera != .fixed
        if let maximum = detector.maxObjects { options.maximumObjects = maximum }
        // The next key frame can be many seconds later, and show other objects.
        if keyframes { options.tracking.confirmationHits = 1 }
        return options
    }

    /// How the video is read.
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
        options.decodesAllFrames = wantsPictures && !offline
        return options
    }

    /// Sentences about lines and zones outside the frame.
    func outlineWarnings(in size: PixelSize) -> [String] {
        let outlines =
            line.enumerated().map { ("Line \($1.name ?? "\($0 + 1)")", [$1.start, $1.end]) }
            + zone.enumerated().map { ("Zone \($1.name ?? "\($0 + 1)")", $1.corners) }
        return outlines.filter { Self.isOutside($1, of: size) }.map { outline, _ in
            "\(outline) lies outside the frame of \(size.width) × \(size.height) pixels, where it counts nothing."
        }
    }

    /// Whether all points lie beyond the same side of the frame.
    private static func isOutside(_ points: [PixelPoint], of size: PixelSize) -> Bool {
        let (width, height) = (Double(size.width), Double(size.height))
        return points.allSatisfy { $0.x < 0 } || points.allSatisfy { $0.x > width }
            || points.allSatisfy { $0.y < 0 } || points.allSatisfy { $0.y > height }
    }
}
