import Foundation
import Sightline

/// Takes frames one after the other and makes a file or files of them.
public protocol FrameWriter: Sendable {
    /// Writes a frame; its time is kept.
    ///
    /// - Throws: `VideoError`, after which nothing more is written.
    func append(_ frame: VideoFrame) throws(VideoError)

    /// Writes what is left, and gives the file its name. Without frames nothing is written.
    ///
    /// - Throws: `VideoError`.
    func finish() throws(VideoError)
}

/// Where frames go.
public enum VideoOutput: Sendable, Hashable {
    /// An MP4 file.
    case video(URL)
    /// A picture file for each frame: in a folder, or named by a pattern such as `frame%06d.jpg`.
    case pictures(URL)

    /// What a path means, as people type it: `.mp4`, `.m4v` and `.mov` are videos, a pattern or a folder (one that is there,
    /// or a path that ends in `/`) is for pictures.
    ///
    /// - Throws: `VideoError.unwritable` for all else.
    public init(path: String) throws(VideoError) {
        let url = URL(filePath: path)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists && isFolder.boolValue || path.hasSuffix("/") || PictureNames.isPattern(url.lastPathComponent) {
            self = .pictures(url)
        } else if ["mp4", "m4v", "mov"].contains(url.pathExtension.lowercased()) {
            self = .video(url)
        } else {
            throw .unwritable(
                path: path,
                reason: "expected a name that ends in .mp4, a folder, or a pattern such as frame%06d.jpg"
            )
        }
    }

    /// A writer that is ready for the first frame.
    ///
    /// - Parameters:
    ///   - info: what the frames are like; the frame rate is used.
    ///   - audioSource: a file whose sound is copied into a video.
    /// - Throws: as the initialisers of ``VideoWriter`` and ``PictureSequenceWriter`` do.
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
