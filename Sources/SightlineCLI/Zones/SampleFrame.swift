import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// A frame of a camera or a video.
struct SampleFrame: Sendable {
    /// The input's name for people.
    let name: String
    /// The time of the frame from the beginning of the stream.
    let time: Duration
    /// The upright frame.
    let picture: PixelBuffer

    /// A time at which a video shows more than its fade-in.
    private static let usualTime = Duration.seconds(1)
    /// The number of damaged frames at the beginning of a stream after which the next frame is taken as it is.
    private static let mostDamaged = 250

    /// Reads a frame.
    ///
    /// - Parameters:
    ///   - input: the video, pictures, camera or stream.
    ///   - name: its name for people.
    ///   - time: the time of the frame; nil for a second after the beginning or the last frame before, or for the first frame of a live input
    ///     without damage.
    /// - Throws: `VideoError`, `ImageError`, or `InputError` if there is no frame at that time.
    init(of input: VideoInput, named name: String, at time: Duration?) async throws {
        let reader = try VideoReader(input: input, options: VideoReaderOptions(start: time ?? .zero))
        let (isLive, hasTime) = (reader.info.isLive, time != nil)
        var found: VideoFrame?
        var damaged = 0
        for try await frame in reader.frames(decodingAhead: 1) {
            if frame.isDamaged, damaged < Self.mostDamaged {
                damaged += 1
                found = found ?? frame
                continue
            }
            found = frame
            if hasTime || isLive || frame.timestamp >= Self.usualTime { break }
        }
        guard let found else {
            guard let time else { throw InputError(reason: "\(name) has no frames; name another video.") }
            let length = reader.info.duration.map { ", which is \(ClockText.text($0)) long" } ?? ""
            throw InputError(
                reason: "--at \(ClockText.text(time)) lies beyond the end of \(name)\(length); name an earlier time."
            )
        }
        self.name = name
        self.time = found.timestamp
        picture = try found.image.upright()
    }
}
