import Foundation
import Sightline
import Synchronization

/// Reads the frames of a video: a file, pictures, a camera or a stream.
///
/// ```swift
/// let video = try VideoReader(contentsOf: URL(filePath: "street.mp4"))
/// for try await frame in video.frames() {
///     let objects = try detector.objects(in: frame.image)
/// }
/// ```
///
/// Frames come in the order in which they are shown, with rising timestamps that are counted from the beginning of the
/// stream; a variable frame rate stays as it is. `frame.image` holds the decoder's own memory, whatever its format, so that
/// nothing is converted that is not looked at; the size may change from a frame to the next. Rotation that a file asks for
/// is in the image's orientation.
///
/// A frame that cannot be decoded is passed over and counted. A lost stream is connected anew. Files are opened so that they
/// cannot make other files or the network be read: playlists are refused.
///
/// Needs FFmpeg's libraries of the version that this was built with, which are loaded by the first reader (pictures do not
/// need them). A reader may be used from any thread, one call at a time waiting for the other.
public final class VideoReader: Sendable {
    /// What is read.
    public let input: VideoInput
    /// What the video says of itself.
    public let info: VideoInfo
    private let end: Duration?
    private let interruption: Interruption
    private let counters: VideoCounters
    private let source: Mutex<any VideoFrameSource>

    /// Opens a video file, a picture, or a folder of pictures (at 25 frames a second).
    ///
    /// - Throws: as `init(input:options:)` does.
    public convenience init(
        contentsOf url: URL,
        options: VideoReaderOptions = VideoReaderOptions()
    ) throws(VideoError) {
        try self.init(input: VideoInput(url.path(percentEncoded: false)), options: options)
    }

    /// Opens an input, and goes to the time at which reading is to begin.
    ///
    /// - Throws: `VideoError.missingLibrary`, `.unreadable`, `.notAVideo`, `.unsupportedFormat`, `.noVideo`,
    ///   `.unsupportedCodec`, `.tooLarge`, `.timedOut`, `.outOfMemory`, or `.picture` for pictures.
    public init(input: VideoInput, options: VideoReaderOptions = VideoReaderOptions()) throws(VideoError) {
        let interruption = Interruption()
        let counters = VideoCounters()
        let source: any VideoFrameSource =
            switch input {
            case .pictures(let url, let frameRate):
                try PictureSequence(url, frameRate: frameRate, options: options, counters: counters)
            case .file(let url) where ImageFormat.isReadable(fileName: url.lastPathComponent):
                try PictureSequence(file: url, options: options, counters: counters)
            default:
                try StreamSource(input, options: options, interruption: interruption, counters: counters)
            }
        self.input = input
        info = source.info
        end = options.end
        self.interruption = interruption
        self.counters = counters
        if options.start > .zero { try source.seek(to: options.start) }
        self.source = Mutex(source)
    }

    /// What was passed over, put right or connected anew so far. May be asked for while another thread waits for a frame.
    public var statistics: VideoReadingStatistics { counters.values }

    /// The next frame; nil at the end, and after ``cancel()``.
    ///
    /// - Throws: `VideoError.noFrames` if not one could be decoded, `.lost` when a camera or stream is gone for good,
    ///   `.outOfMemory`, `.tooLarge`, `.image`, or `.picture` for pictures.
    public func next() throws(VideoError) -> VideoFrame? {
        guard !interruption.isCancelled else { return nil }
        let frame = try source.withLock { (source) throws(VideoError) in try source.next() }
        guard let frame, end.map({ frame.timestamp < $0 }) ?? true else { return nil }
        counters.update { $0.frames += 1 }
        return frame
    }

    /// Goes to another time: the next frame is the first that is shown then or later, to half a millisecond.
    ///
    /// Indices go on from the time and the average frame rate, which is exact as long as the frame rate does not vary.
    ///
    /// - Throws: `VideoError.notSeekable` for a camera or a live stream, otherwise as `next()` does. At a time beyond the end
    ///   there are no frames, which is no error.
    public func seek(to time: Duration) throws(VideoError) {
        try source.withLock { (source) throws(VideoError) in try source.seek(to: time) }
    }

    /// Ends reading for good, from any thread; who waits for a frame gets nil.
    public func cancel() { interruption.cancel() }
}

/// Counters that may be read while the source works.
final class VideoCounters: Sendable {
    private let state = Mutex(VideoReadingStatistics())

    var values: VideoReadingStatistics { state.withLock { $0 } }

    func update(_ body: (inout VideoReadingStatistics) -> Void) { state.withLock { body(&$0) } }
}
