import DurableFiles
import Foundation
import Sightline

/// Writes each frame as a picture file. Each file is complete or absent.
public final class PictureSequenceWriter: FrameWriter {
    private let folder: URL
    private let pattern: PicturePattern
    private let format: ImageFormat

    /// Creates a writer.
    ///
    /// Files have the numbers of the frames in their names, from 1 on as in a ``ResultSink`` of a data set, with gaps for dropped frames.
    ///
    /// - Parameters:
    ///   - url: a pattern such as `frame%06d.jpg`; or a folder, which gets files `000001.jpg` and so on. The folder is made if
    ///     it is missing.
    ///   - format: the format of pictures in a folder. A pattern has an extension instead.
    /// - Throws: `VideoError.pictureNotWritten`, also for the extension of another format.
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
            let name = "%06d." + (format.fileExtensions.first ?? "")
            guard let pattern = PicturePattern(name) else {
                throw .unwritable(path: path, reason: "\(name) is not a pattern")
            }
            self.pattern = pattern
            self.format = format
            folder = url
        }
        do throws(DurableFileError) {
            try DurableFile.makeFolder(folder)
        } catch {
            throw .pictureNotWritten(.unwritable(path: error.path, reason: error.reason))
        }
        guard access(folder.path(percentEncoded: false), W_OK) == 0 else {
            throw .pictureNotWritten(.unwritable(path: path, reason: "the folder is not writable"))
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
            try ImageFile.write(upright.encoded(as: format), to: folder.appending(path: pattern.name(frame.index + 1)))
        } catch {
            throw .pictureNotWritten(error)
        }
    }

    /// Does nothing, because each picture is finished when it is written.
    public func finish() throws(VideoError) {}
}
