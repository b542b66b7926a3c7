import Foundation
import Sightline
import SightlineLocks

/// Reads the frames of a video: a file, pictures, a pipe, a camera or a stream.
///
/// ```swift
/// let video = try VideoReader(contentsOf: URL(filePath: "street.mp4"))
/// for try await frame in video.frames() {
///     let objects = try detector.objects(in: frame.image)
/// }
/// ```
///
/// Frames come in display order. Their timestamps rise and count from the beginning of the stream; a variable frame rate is kept.
/// `frame.image` holds the decoder's memory in the decoder's format, so that unused pixels are never converted. The size may change
/// from frame to frame. The image's orientation holds the rotation in the file.
///
/// The reader skips and counts frames and pictures that cannot be decoded, marks frames with errors, and reconnects a lost stream. A file cannot make the reader open other
/// files or the network: playlists are refused.
///
/// The reader needs the libraries of FFmpeg 4 to 9. The first reader loads them; pictures do not need them. Any thread
/// may use a reader; one call waits for another.
public final class VideoReader: Sendable {
    /// The input.
    public let input: VideoInput
    /// The properties of the video.
    public let info: VideoInfo
    private let end: Duration?
    private let interruption: Interruption
    private let counters: VideoCounters
    private let source: Mutex<any VideoFrameSource>

    /// Opens a video file, a picture, or a folder of pictures (at 25 frames a second).
    ///
    /// - Throws: the errors of `init(input:options:)`.
    public convenience init(
        contentsOf url: URL,
        options: VideoReaderOptions = VideoReaderOptions()
    ) throws(VideoError) {
        var input = VideoInput(url.path(percentEncoded: false))
        // Opening a pipe can take forever, which is not expected of a file.
        if case .pipe = input { input = .file(url) }
        try self.init(input: input, options: options)
    }

    /// Whether a file is a single picture. FFmpeg reads GIF files and other animations, and JPEG files with other names, which may be
    /// the frames of a camera.
    private static func isStillPicture(_ url: URL) -> Bool {
        guard FileKind(of: url) == .picture else { return false }
        let format = ImageFormat(fileExtension: url.pathExtension)
        guard let format, format.name != "GIF" else { return false }
        if case .video = AnimatedPicture(url) { return false }
        return true
    }

    /// Opens an input and goes to the start time.
    ///
    /// - Throws: `VideoError.missingLibrary`, `.unreadable`, `.notAVideo`, `.unsupportedFormat`, `.noVideo`,
    ///   `.unsupportedCodec`, `.tooLarge`, `.timedOut`, `.outOfMemory`, or `.picture` for pictures.
    public convenience init(
        input: VideoInput,
        options: VideoReaderOptions = VideoReaderOptions()
    ) throws(VideoError) {
        try self.init(input: input, options: options, interruption: Interruption())
    }

    /// - Parameter interruption: ends the opening and the reading.
    init(input: VideoInput, options: VideoReaderOptions, interruption: Interruption) throws(VideoError) {
        let counters = VideoCounters()
        let source: any VideoFrameSource =
            switch input {
            case .pictures(let url, let frameRate):
                try PictureSequence(url, frameRate: frameRate, options: options, counters: counters)
            case .pictureFiles(let urls, let frameRate):
                try PictureSequence(files: urls, frameRate: frameRate, options: options, counters: counters)
            case .file(let url) where Self.isStillPicture(url):
                try PictureSequence(files: [url], options: options, counters: counters)
            default:
                try StreamSource(input, options: options, interruption: interruption, counters: counters)
            }
        if case .file(let url) = input, source is PictureSequence, AnimatedPicture(url) != nil {
            counters.update { $0.earlyEnd = "it is an animation, of which only the first frame can be read" }
        }
        self.input = input
        info = source.info
        end = options.end
        self.interruption = interruption
        self.counters = counters
        if options.start > .zero { try source.seek(to: options.start) }
        self.source = Mutex(source)
    }

    /// The numbers of skipped, corrected and reconnected items so far. Another thread may wait for a frame at the same time.
    public var statistics: VideoReadingStatistics { counters.values }

    /// Reads the next frame; nil at the end, and after ``cancel()``.
    ///
    /// - Throws: `VideoError.noFrames` if no frame could be decoded, `.lost` if a camera or stream is gone permanently,
    ///   `.outOfMemory`, `.tooLarge`, `.image`, or `.picture` for pictures.
    public func next() throws(VideoError) -> VideoFrame? {
        guard !interruption.isCancelled else { return nil }
        let frame = try source.withLock { (source) throws(VideoError) in try source.next() }
        guard let frame, end.map({ frame.timestamp < $0 }) ?? true else { return nil }
        counters.update { $0.frames += 1 }
        return frame
    }

    /// Goes to another time. The next frame is the first frame at that time or later, to half a millisecond.
    ///
    /// Indices continue from the time and the average frame rate, which is exact if the frame rate is constant.
    ///
    /// - Throws: `VideoError.notSeekable` for a camera or a live stream, otherwise the errors of `next()`. A time beyond the end is
    ///   not an error; there are no frames then.
    public func seek(to time: Duration) throws(VideoError) {
        try source.withLock { (source) throws(VideoError) in try source.seek(to: time) }
    }

    /// Ends reading permanently, from any thread. A call that waits for a frame returns nil.
    public func cancel() { interruption.cancel() }
}

/// Counters that other threads may read.
final class VideoCounters: Sendable {
    private let state = Mutex(VideoReadingStatistics())

    var values: VideoReadingStatistics { state.withLock { $0 } }

    func update(_ body: (inout VideoReadingStatistics) -> Void) { state.withLock { body(&$0) } }
}
