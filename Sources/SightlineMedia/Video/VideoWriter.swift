import CFFmpeg
import Foundation
import Sightline
import Synchronization

/// Writes frames as an MP4 file: H.264 where FFmpeg has the x264 encoder, MPEG-4 otherwise.
///
/// ```swift
/// let writer = try VideoWriter(url: output, like: video.info, copyingAudioFrom: input)
/// while let frame = try video.next() { try writer.append(frame) }
/// try writer.finish()
/// ```
///
/// The times of frames are kept, so that a variable frame rate stays as it is; the first frame is shown at the file's
/// beginning. Sound is copied as it is, from the first frame's time to the last one's.
///
/// **Until it is finished** the video is in a file beside its place, `out.partial.mp4` for `out.mp4`, which can be played at
/// any time up to about two seconds before the last frame: it consists of fragments with an index each, one for each key
/// frame. So a process that is killed or a disk that is full leaves what was written, and a file that has the final name is
/// whole; a file of that name is replaced only then. ``finish()`` writes the last fragment and renames the file, which stays
/// in fragments: browsers, players and FFmpeg read it as any MP4, and no second copy has to be written.
///
/// The size is that of the first frame, less a row or column where it is odd; frames of another size are scaled to it with
/// black borders. Rotation is written as the first frame has it, without turning pixels.
public final class VideoWriter: FrameWriter {
    /// Which encoder is used.
    public enum Codec: Sendable, Hashable {
        /// H.264 if there is an encoder, otherwise MPEG-4.
        case automatic
        /// MPEG-4 part 2: larger files, and every FFmpeg can write it.
        case mpeg4
    }

    /// What was written.
    public struct Summary: Sendable, Hashable {
        /// FFmpeg's name of the codec; empty before the first frame.
        public internal(set) var codec = ""
        /// Frames written.
        public internal(set) var frames = 0
        /// Whether there is sound: there was some to copy, and MP4 can hold its codec.
        public internal(set) var copiesAudio = false
        /// Packets of sound copied.
        public internal(set) var audioPackets = 0
    }

    /// The file's place.
    public let url: URL
    /// The file beside it that is written to until ``finish()``.
    public let partialURL: URL
    private let frameRate: Double
    private let codec: Codec
    private let audioSource: InputHandle.Request?
    private let state = Mutex(State())

    private struct State {
        var file: OutputHandle?
        var orientation = ImageOrientation.up
        var frames = 0
        var failure: VideoError?
        var isFinished = false
        var summary = Summary()
    }

    /// A writer that creates the file with the first frame.
    ///
    /// - Parameters:
    ///   - url: a file in a folder that exists; a file that is there is replaced in the end.
    ///   - info: what the frames are like; the frame rate is used, to space key frames.
    ///   - audioSource: a file whose sound is copied, usually the one that frames come from.
    ///   - codec: which encoder is used.
    /// - Throws: `VideoError.missingLibrary`, `.unwritable`, or `.unreadable` for the source of sound.
    public init(
        url: URL,
        like info: VideoInfo,
        copyingAudioFrom audioSource: URL? = nil,
        codec: Codec = .automatic
    ) throws(VideoError) {
        try FFmpeg.useScaling()
        let path = url.path(percentEncoded: false)
        let folder = url.deletingLastPathComponent()
        var isFolder: ObjCBool = false
        guard url.isFileURL else { throw .unwritable(path: url.absoluteString, reason: "it is no file URL") }
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw .unwritable(path: path, reason: "it is a folder")
        }
        guard access(folder.path(percentEncoded: false), W_OK) == 0 else {
            throw .unwritable(
                path: path,
                reason: errno == ENOENT ? "the folder is missing" : "the folder is not writable"
            )
        }
        if let audioSource {
            self.audioSource = try InputHandle.Request(file: audioSource)
        } else {
            self.audioSource = nil
        }
        self.url = url
        self.codec = codec
        partialURL = folder.appending(
            path: url.deletingPathExtension().lastPathComponent + ".partial."
                + (url.pathExtension.isEmpty ? "mp4" : url.pathExtension)
        )
        frameRate = info.frameRate.flatMap { (0.01...1000).contains($0) ? $0 : nil } ?? 25
    }

    /// What was written so far.
    public var summary: Summary { state.withLock { $0.summary } }

    /// Writes a frame.
    ///
    /// - Parameter frame: not earlier than the one before; if it is, it is shown right after that.
    /// - Throws: `VideoError.unwritable`, `.diskFull`, `.encodingFailed`, or `.image` if its picture cannot be decoded. What
    ///   was written before can be played, in ``partialURL``.
    public func append(_ frame: VideoFrame) throws(VideoError) {
        if let pixels = frame.image.storedPixels {
            try append(pixels, orientation: frame.image.orientation, at: frame.timestamp)
        } else {
            let upright: PixelBuffer
            do throws(ImageError) {
                upright = try frame.image.upright()
            } catch {
                throw .image(error)
            }
            try append(upright, at: frame.timestamp)
        }
    }

    /// Writes pixels as a frame.
    ///
    /// I420 pixels of the video range in the file's size are encoded as they are; all others are converted first.
    ///
    /// - Parameters:
    ///   - pixels: in any format and size.
    ///   - orientation: how they stand upright, the same for all.
    ///   - time: when they are shown.
    /// - Throws: as `append(_:)` does.
    public func append(
        _ pixels: PixelBuffer,
        orientation: ImageOrientation = .up,
        at time: Duration
    ) throws(VideoError) {
        try state.withLock { (state) throws(VideoError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else {
                throw .encodingFailed(path: url.path(percentEncoded: false), reason: "the file is finished")
            }
            do throws(VideoError) {
                if state.file == nil {
                    state.file = try open(like: pixels, orientation: orientation)
                    state.orientation = orientation
                }
                guard orientation == state.orientation else {
                    throw .encodingFailed(path: url.path(percentEncoded: false), reason: "its orientation changed")
                }
                try state.file?.write(pixels, microseconds: time.microseconds)
                state.frames += 1
                state.summary = summary(state)
            } catch {
                state.failure = error
                state.file = nil
                throw error
            }
        }
    }

    /// Writes the rest and gives the file its name.
    ///
    /// Without a frame there is no file. Calling it again does nothing.
    ///
    /// - Throws: `VideoError.unwritable`, `.diskFull` or `.encodingFailed`, also the failure of an earlier frame; the file
    ///   then keeps the name of ``partialURL``.
    public func finish() throws(VideoError) {
        try state.withLock { (state) throws(VideoError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished, let file = state.file else { return }
            do throws(VideoError) {
                try file.finish()
                state.summary = summary(state)
                state.isFinished = true
                state.file = nil
                let (from, to) = (partialURL.path(percentEncoded: false), url.path(percentEncoded: false))
                guard rename(from, to) == 0 else {
                    throw .unwritable(path: to, reason: String(cString: strerror(errno)))
                }
            } catch {
                state.failure = error
                state.file = nil
                throw error
            }
        }
    }

    private func summary(_ state: State) -> Summary {
        guard let info = state.file?.info else { return state.summary }
        var text = info
        return Summary(
            codec: FFmpeg.text(of: &text.codec),
            frames: state.frames,
            copiesAudio: info.copiesAudio,
            audioPackets: Int(info.audioPackets)
        )
    }

    private func open(like pixels: PixelBuffer, orientation: ImageOrientation) throws(VideoError) -> OutputHandle {
        let usesBT709 = pixels.format.isYCbCr ? pixels.matrix == .bt709 : pixels.height >= 720
        return try OutputHandle(
            OutputHandle.Request(
                url: partialURL,
                size: PixelSize(width: max(pixels.width & ~1, 2), height: max(pixels.height & ~1, 2)),
                frameRate: frameRate,
                isBT709: usesBT709,
                codec: codec,
                orientation: orientation,
                audioSource: audioSource
            )
        )
    }
}

extension Duration {
    /// Rounded down, within ±10^15.
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, -1_000_000_000), 1_000_000_000)
        return bounded * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
