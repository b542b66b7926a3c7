import Foundation
import Sightline

/// Writes frames, one after another, into a file or files.
public protocol FrameWriter: Sendable {
    /// Writes a frame at its time.
    ///
    /// - Throws: `VideoError`. The writer then ignores further frames.
    func append(_ frame: VideoFrame) throws(VideoError)

    /// Writes the rest and gives the file its final name. Without frames, there is no file.
    ///
    /// - Throws: `VideoError`.
    func finish() throws(VideoError)
}

/// The place of written frames.
public enum VideoOutput: Sendable, Hashable {
    /// An MP4 file.
    case video(URL)
    /// A picture file for each frame: in a folder, or named by a pattern such as `frame%06d.jpg`.
    case pictures(URL)

    /// Interprets a path from a command line. `.mp4`, `.m4v` and `.mov` are videos. A pattern, an existing folder and a name without an
    /// extension are for pictures.
    ///
    /// - Throws: `VideoError.unknownOutput` for other extensions.
    public init(path: String) throws(VideoError) {
        let url = URL(filePath: path)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists && isFolder.boolValue || path.hasSuffix("/") || url.pathExtension.isEmpty
            || PictureNames.isPattern(url.lastPathComponent)
        {
            self = .pictures(url)
        } else if Self.isVideo(fileName: path) {
            self = .video(url)
        } else {
            throw .unknownOutput(path: path)
        }
    }

    /// Whether a file of this name can be written as a video: `.mp4`, `.m4v` and `.mov`.
    public static func isVideo(fileName: String) -> Bool {
        ["mp4", "m4v", "mov"].contains(URL(filePath: fileName).pathExtension.lowercased())
    }

    /// Makes a writer that is ready for the first frame.
    ///
    /// - Parameters:
    ///   - info: the properties of the frames; the writer uses the frame rate.
    ///   - audioSource: a file whose sound is copied into the video.
    /// - Throws: the errors of the initializers of ``VideoWriter`` and ``PictureSequenceWriter``.
    public func writer(
        like info: VideoInfo,
        copyingAudioFrom audioSource: URL? = nil
    ) throws(VideoError) -> any FrameWriter {
        switch self {
        case .video(let url): try VideoWriter(url: url, like: info, copyingAudioFrom: audioSource)
        case .pictures(let url): try PictureSequenceWriter(url: url)
        }
    }
}
