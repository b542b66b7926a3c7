import CFFmpeg
import DurableFiles
import Foundation
import Sightline
import SightlineLocks

/// Writes frames as an MP4 file: H.264 if FFmpeg has the x264 encoder, otherwise MPEG-4.
///
/// ```swift
/// let writer = try VideoWriter(url: output, like: video.info, copyingAudioFrom: input)
/// while let frame = try video.next() { try writer.append(frame) }
/// try writer.finish()
/// ```
///
/// Frames keep their times and a variable frame rate. The first frame is at the beginning of the file. Sound is copied unchanged from
/// the first frame's time to the last frame's time.
///
/// **Until it is finished**, the video is in a temporary file beside its place, for example `out.partial.mp4` for `out.mp4`.
/// Players can play that file at any time, up to about two seconds before the last frame, because it consists of fragments with an index
/// each. If the process is killed or the disk is full, the written part remains until the next
/// writer of that video begins. A file with the final name is complete and on disk, and
/// an existing file is replaced only by a complete file. ``finish()`` writes the last fragment and renames the file. The file keeps its fragments, which
/// browsers, players and FFmpeg read as any MP4, so there is no second copy.
///
/// The video has the size of the first frame, rounded down to even numbers. Frames of another size are scaled to it with black borders.
/// The file stores the rotation of the first frame and the shape of pixels that are not square; the frames themselves stay the same.
public final class VideoWriter: FrameWriter {
    /// A choice of encoder.
    public enum Codec: Sendable, Hashable {
        /// H.264 if FFmpeg has an encoder for it, otherwise MPEG-4.
        case automatic
        /// MPEG-4 part 2: larger files that every FFmpeg can write.
        case mpeg4
    }

    /// The written frames and packets.
    public struct Summary: Sendable, Hashable {
        /// FFmpeg's name of the codec; empty before the first frame.
        public internal(set) var codec = ""
        /// The number of written frames.
        public internal(set) var frames = 0
        /// Whether the file has sound: the source has sound, and MP4 can hold its codec.
        public internal(set) var copiesAudio = false
        /// The number of copied packets of sound.
        public internal(set) var audioPackets = 0
    }

    /// The final place of the file.
    public let url: URL
    /// The temporary file until ``finish()``.
    public let partialURL: URL
    /// Held as long as the temporary file is in use.
    private let lock: FileLock?
    private let frameRate: Double
    /// The shape of a pixel in frames with `orientation`.
    private let pixelAspect: PixelSize
    private let orientation: ImageOrientation
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

    /// Creates a writer. The first frame creates the file.
    ///
    /// - Parameters:
    ///   - url: a file in an existing folder. ``finish()`` replaces an existing file.
    ///   - info: the properties of the frames; the writer uses the frame rate for the distance of key frames, and the shape of pixels.
    ///   - audioSource: a file whose sound is copied, usually the source of the frames.
    ///   - codec: the choice of encoder.
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
        guard url.isFileURL else { throw .unwritable(path: url.absoluteString, reason: "it is not a file URL") }
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
        (pixelAspect, orientation) = (info.pixelAspect, info.orientation)
        (partialURL, lock) = Self.partialFile(for: url)
        frameRate = info.frameRate.flatMap { (0.01...1000).contains($0) ? $0 : nil } ?? 25
    }

    deinit { if state.withLock({ $0.frames == 0 }) { removeEmptyFile() } }

    /// Removes the temporary file, which only has the lock before the first frame.
    private func removeEmptyFile() {
        if lock != nil { unlink(partialURL.path(percentEncoded: false)) }
    }

    /// The temporary file, with its lock. A killed process leaves a file without a lock, which the next writer of the video replaces;
    /// a process that writes a video of the same name at the same time has another file.
    private static func partialFile(for url: URL) -> (URL, FileLock?) {
        let stem = url.deletingPathExtension().lastPathComponent
        let fileType = url.pathExtension.isEmpty ? "mp4" : url.pathExtension
        let folder = url.deletingLastPathComponent()
        for number in 1...100 {
            let name = "\(stem).partial\(number > 1 ? "-\(number)" : "").\(fileType)"
            let file = folder.appending(path: name)
            if let lock = try? FileLock.takenIfFree(partialFile: file.path(percentEncoded: false)) {
                return (file, lock)
            }
        }
        // The file system has no locks.
        return (folder.appending(path: "\(stem).partial-\(UUID().uuidString.prefix(8)).\(fileType)"), nil)
    }

    /// The written frames and packets so far.
    public var summary: Summary { state.withLock { $0.summary } }

    /// Writes a frame.
    ///
    /// - Parameter frame: a frame after the previous frame. A frame with an earlier time is moved right behind the previous frame.
    /// - Throws: `VideoError.unwritable`, `.diskFull`, `.encodingFailed`, or `.image` if its picture cannot be decoded. The earlier
    ///   frames in ``partialURL`` can be played.
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
    /// I420 pixels of the video range in the file's size are encoded unchanged. Other pixels are converted first.
    ///
    /// - Parameters:
    ///   - pixels: pixels in any format and size.
    ///   - orientation: the orientation of the pixels, the same for all frames.
    ///   - time: the time of the frame.
    /// - Throws: the errors of `append(_:)`.
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

    /// Writes the rest and gives the file its final name.
    ///
    /// Without a frame, there is no file. A second call does nothing.
    ///
    /// - Throws: `VideoError.unwritable`, `.diskFull` or `.encodingFailed`, also the failure of an earlier frame; the file
    ///   then keeps the name of ``partialURL``.
    public func finish() throws(VideoError) {
        try state.withLock { (state) throws(VideoError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished, let file = state.file else {
                if state.frames == 0 { removeEmptyFile() }
                return
            }
            do throws(VideoError) {
                try file.finish()
                state.summary = summary(state)
                state.isFinished = true
                state.file = nil
                try publish()
            } catch {
                state.failure = error
                state.file = nil
                throw error
            }
        }
    }

    /// Gives the complete file its final name, once its bytes are on disk.
    private func publish() throws(VideoError) {
        let path = partialURL.path(percentEncoded: false)
        do throws(DurableFileError) {
            try FileDescriptor(path, O_RDWR).synchronize()
            try DurableFile.move(path, to: url)
        } catch {
            if error.isForSpace { throw .diskFull(path: url.path(percentEncoded: false)) }
            throw .unwritable(path: url.path(percentEncoded: false), reason: error.reason)
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
                pixelAspect: orientation.swapsAxes == self.orientation.swapsAxes
                    ? pixelAspect : pixelAspect.transposed,
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
