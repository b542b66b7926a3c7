import Foundation
import Sightline

/// Writes each frame as a picture file. Each file is complete or absent.
public final class PictureSequenceWriter: FrameWriter {
    private let folder: URL
    private let pattern: PicturePattern
    private let format: ImageFormat

    /// Creates a writer.
    ///
    /// Files have the indices of the frames in their names, with gaps for dropped frames.
    ///
    /// - Parameters:
    ///   - url: a pattern such as `frame%06d.jpg` in an existing folder; or a folder, which is created if necessary and gets files
    ///     `frame000000.jpg` and so on.
    ///   - format: the format of pictures in a folder. A pattern has an extension instead.
    /// - Throws: `VideoError.unwritable`, or `.pictureNotWritten` for the extension of another format.
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

    /// Does nothing, because each picture is finished when it is written.
    public func finish() throws(VideoError) {}
}
