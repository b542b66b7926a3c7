import Foundation
import Sightline

/// Why a video could not be read or written.
///
/// `input` and `path` name the file, address or device as it was given.
public enum VideoError: Error, Sendable, Hashable {
    /// One of FFmpeg's libraries is not installed or does not fit this build.
    case missingLibrary(name: String, reason: String)
    /// The file, device or address cannot be opened.
    case unreadable(input: String, reason: String)
    /// The content is no video, or too damaged to tell.
    case notAVideo(input: String, reason: String)
    /// The content has a format that is not read, for example a playlist, which could lead to other files.
    case unsupportedFormat(input: String, found: String)
    /// There are no pictures in it.
    case noVideo(input: String, hasAudio: Bool)
    /// There is no decoder for its codec.
    case unsupportedCodec(input: String, codec: String)
    /// Its frames have more pixels than the limit allows.
    case tooLarge(input: String, PixelSize, maximumPixels: Int)
    /// Not one frame could be decoded.
    case noFrames(input: String, damagedPackets: Int)
    /// A camera or server gave nothing for so long.
    case timedOut(input: String, after: Duration)
    /// A camera or connection ended, and connecting anew failed as often as was allowed.
    case lost(input: String, reason: String, attempts: Int)
    /// The input cannot go to another place, for example because it is live.
    case notSeekable(input: String)
    /// There is no memory for frames.
    case outOfMemory(input: String)
    /// A picture of a sequence cannot be used.
    case picture(path: String, ImageError)
    /// A frame's pixels cannot be used.
    case image(ImageError)
    /// A name that says neither a video nor pictures.
    case unknownOutput(path: String)
    /// The file cannot be written.
    case unwritable(path: String, reason: String)
    /// The disk is full; what was written before can be played.
    case diskFull(path: String)
    /// The frames cannot be encoded.
    case encodingFailed(path: String, reason: String)
    /// A picture of a sequence could not be written.
    case pictureNotWritten(ImageError)
}

extension VideoError: CustomStringConvertible, LocalizedError {
    /// What failed and what to do about it, in one sentence.
    public var description: String {
        switch self {
        case .missingLibrary(let name, let reason):
            "Video needs FFmpeg's library \(name), which cannot be used (\(reason)); install the package \(Self.package(of: name))."
        case .unreadable(let input, let reason):
            "\(input): the video cannot be opened (\(reason)); check the name and that it may be read."
        case .notAVideo(let input, let reason):
            "\(input): this is no video that can be read (\(reason)); expected H.264, HEVC, VP9, AV1, MJPEG or MPEG-4 "
                + "in MP4, MKV, WebM or AVI."
        case .unsupportedFormat(let input, let found):
            "\(input): files of the format \(found) are not read; name a video file (MP4, MKV, WebM, AVI) itself."
        case .noVideo(let input, let hasAudio):
            "\(input): there \(hasAudio ? "is sound but no video" : "is no video") in it; name a file with pictures."
        case .unsupportedCodec(let input, let codec):
            "\(input): this FFmpeg has no decoder for \(codec); convert the video to H.264."
        case .tooLarge(let input, let size, let maximumPixels):
            "\(input): frames of \(size.width) × \(size.height) exceed the limit of \(maximumPixels) pixels; "
                + "raise maximumPixels if the source is trusted."
        case .noFrames(let input, let damagedPackets):
            damagedPackets == 0
                ? "\(input): there are no frames in it; name a video or a folder of pictures."
                : "\(input): no frame could be decoded (\(damagedPackets) damaged packets); copy or record it again."
        case .timedOut(let input, let after):
            "\(input): nothing arrived within \(Self.text(after)); check the address and the network, or allow more time."
        case .lost(let input, let reason, let attempts):
            "\(input): the connection was lost (\(reason)) and not regained in \(attempts) attempts; "
                + "check the camera or server and start again."
        case .notSeekable(let input):
            "\(input): one cannot go to another time in it; read it from its beginning."
        case .outOfMemory(let input):
            "\(input): there is no memory for its frames; close other programs or use a smaller video."
        case .picture(let path, let error):
            "\(path): this picture of the sequence cannot be used: \(error)"
        case .image(let error):
            "\(error)"
        case .unknownOutput(let path):
            "\(path): frames are not written in this format; name a .mp4 file, a folder, or a pattern such as frame%06d.jpg."
        case .unwritable(let path, let reason):
            "\(path): the video cannot be written (\(reason)); check the folder and its permissions."
        case .diskFull(let path):
            "\(path): the disk is full; make room and write the video again (what is there can be played)."
        case .encodingFailed(let path, let reason):
            "\(path): the frames could not be encoded (\(reason)); try another size or format."
        case .pictureNotWritten(let error):
            "\(error)"
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    /// Debian names the package of libavcodec.so.59 libavcodec59.
    private static func package(of library: String) -> String {
        let parts = library.split(separator: ".")
        return parts.count > 2 ? "\(parts[0])\(parts[2])" : library
    }

    private static func text(_ duration: Duration) -> String {
        duration.formatted(.units(allowed: [.minutes, .seconds, .milliseconds], width: .wide))
    }
}
