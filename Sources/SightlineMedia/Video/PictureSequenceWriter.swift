import Foundation
import Sightline

/// Writes each frame as a picture file, PNG or JPEG, each whole or not at all.
public final class PictureSequenceWriter: FrameWriter {
    private let folder: URL
    private let pattern: PicturePattern
    private let format: ImageFormat

    /// A writer of pictures.
    ///
    /// Files are named by the frames' indices, which rise, with gaps where frames were left out.
    ///
    /// - Parameters:
    ///   - url: a pattern such as `frame%06d.jpg` in a folder that exists, or a folder, which is made if it is missing and
    ///     gets files `frame000000.jpg` and so on.
    ///   - format: of pictures in a folder; a pattern's extension says it itself.
    /// - Throws: `VideoError.unwritable`, or `.pictureNotWritten` for an extension that is not written.
    public init(url: URL, format: ImageFormat = .jpeg) throws(VideoError) {
        let path = url.path(percentEncoded: false)
        if let pattern = PicturePattern(url.lastPathComponent) {
            self.pattern = pattern
            folder = url.deletingLastPathComponent()
            do throws(ImageError) {
                self.format = try ImageFormat(writingTo: path)
            } catch {
                throw .pictureNotWritten(error)
            }
        } else {
            let name = "frame%06d." + (format.fileExtensions.first ?? "")
            guard let pattern = PicturePattern(name) else {
                throw .unwritable(path: path, reason: "\(name) is no pattern")
            }
            self.pattern = pattern
            self.format = format
            folder = url
            do {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            } catch {
                throw .unwritable(path: path, reason: "the folder cannot be made: \(error.localizedDescription)")
            }
        }
        guard access(folder.path(percentEncoded: false), W_OK) == 0 else {
            throw .unwritable(
                path: path,
                reason: errno == ENOENT ? "the folder is missing" : "the folder is not writable"
            )
        }
    }

    /// Writes the upright frame in full size.
    ///
    /// - Throws: `VideoError.pictureNotWritten`, or `.image` if its picture cannot be decoded.
    public func append(_ frame: VideoFrame) throws(VideoError) {
        let upright: PixelBuffer
        do throws(ImageError) {
            upright = try frame.image.upright()
        } catch {
            throw .image(error)
        }
        do throws(ImageError) {
            try ImageFile.write(upright.encoded(as: format), to: folder.appending(path: pattern.name(frame.index)))
        } catch {
            throw .pictureNotWritten(error)
        }
    }

    /// Does nothing: each picture is finished once it is there.
    public func finish() throws(VideoError) {}
}
