import Foundation
import Sightline

/// An error of reading or writing a video.
///
/// `input` and `path` are the name of the file, address or device.
public enum VideoError: Error, Sendable, Hashable {
    /// A library of FFmpeg is missing or cannot be used. `packages` names the package of Debian's that has it: `ffmpeg`, which each
    /// release has, if no version of FFmpeg is there.
    case missingLibrary(name: String, reason: String, packages: String)
    /// The file, device or address cannot be opened.
    case unreadable(input: String, reason: String)
    /// The text is not a valid address.
    case invalidAddress(input: String)
    /// The name of a server or camera is unknown.
    case unknownHost(input: String, host: String)
    /// A server or camera refuses the user or the password.
    case unauthorized(input: String, reason: String)
    /// A server or camera cannot be reached, or gives no video at the address.
    case unreachable(input: String, reason: String)
    /// The content is not a video, or is badly damaged.
    case notAVideo(input: String, reason: String)
    /// A pipe does not send a video, or its format needs a file in which the reader can go to any place.
    case notStreamable(input: String, reason: String)
    /// The content has an unsupported format, for example a playlist, which could lead to other files.
    case unsupportedFormat(input: String, found: String)
    /// The content has no pictures.
    case noVideo(input: String, hasAudio: Bool)
    /// FFmpeg has no decoder for the codec.
    case unsupportedCodec(input: String, codec: String)
    /// The frames have more pixels than the limit allows.
    case tooLarge(input: String, PixelSize, maximumPixels: Int)
    /// No frame could be decoded.
    case noFrames(input: String, damagedPackets: Int)
    /// A camera or server was silent for too long.
    case timedOut(input: String, after: Duration)
    /// A camera or connection ended, and all attempts to reconnect failed.
    case lost(input: String, reason: String, attempts: Int)
    /// A server sends the file only from its beginning, and the file has its index at its end.
    case notSeekableAddress(input: String)
    /// The input cannot go to another time, for example because it is live.
    case notSeekable(input: String)
    /// Memory for frames is not available.
    case outOfMemory(input: String)
    /// A picture of a sequence cannot be used.
    case picture(path: String, ImageError)
    /// A frame's pixels cannot be used.
    case image(ImageError)
    /// The name belongs neither to a video nor to pictures.
    case unknownOutput(path: String)
    /// The file cannot be written.
    case unwritable(path: String, reason: String)
    /// The disk is full. The earlier frames can be played.
    case diskFull(path: String)
    /// The frames cannot be encoded.
    case encodingFailed(path: String, reason: String)
    /// A picture of a sequence could not be written.
    case pictureNotWritten(ImageError)
}

extension VideoError: CustomStringConvertible, LocalizedError {
    /// One sentence with the failure and the next step.
    public var description: String {
        switch self {
        case .missingLibrary(let name, let reason, let packages):
            "Video needs FFmpeg's library \(name), which cannot be used (\(reason)); "
                + "install the package \(packages)."
        case .unreadable(let input, let reason):
            "\(input): the video cannot be opened (\(reason)); check its name and permissions."
        case .invalidAddress(let input):
            "\(input): this is not a valid address; write characters such as @ / # ? in a user or password as %40 %2F %23 %3F."
        case .unknownHost(let input, let host):
            "\(input): the host \(host) is unknown; check its name and the network."
        case .unauthorized(let input, let reason):
            "\(input): the user or the password is wrong or missing (\(reason)); check both, as in rtsp://user:password@host/."
        case .unreachable(let input, let reason):
            "\(input): the video cannot be opened (\(reason)); check the address, the camera or server, and the network."
        case .notAVideo(let input, let reason):
            "\(input): this is not a readable video (\(reason)); expected H.264, HEVC, VP9, AV1, MJPEG or MPEG-4 "
                + "in MP4, MKV, WebM or AVI."
        case .notStreamable(let input, let reason):
            "\(input): no video can be read from it (\(reason)); send Matroska, MPEG-TS or MJPEG, or name the file itself, "
                + "because most MP4 files have their index at the end."
        case .unsupportedFormat(let input, let found):
            "\(input): files of the format \(found) are not read; name a video file (MP4, MKV, WebM, AVI) itself."
        case .noVideo(let input, let hasAudio):
            "\(input): it contains \(hasAudio ? "sound but no video" : "no video"); name a file with pictures."
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
                + "check the camera or server."
        case .notSeekableAddress(let input):
            "\(input): the video's index is at its end, but the server sends the file only from its beginning; download the file, or use "
                + "a server that answers requests for ranges."
        case .notSeekable(let input):
            "\(input): the video cannot go to another time; read it from its beginning."
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
            "\(path): the disk is full; make room and write the video again (the written part can be played)."
        case .encodingFailed(let path, let reason):
            "\(path): the frames could not be encoded (\(reason)); try another size or format."
        case .pictureNotWritten(let error):
            "\(error)"
        }
    }

    /// The failure without the name of the input and the next step, for a sentence that has both.
    package var failure: String {
        switch self {
        case .unreadable(_, let reason), .notAVideo(_, let reason), .unreachable(_, let reason): reason
        case .unknownHost(_, let host): "the host \(host) is unknown"
        case .unauthorized(_, let reason): "the user or the password is wrong or missing: \(reason)"
        case .timedOut(_, let after): "nothing arrived within \(Self.text(after))"
        default: description
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    private static func text(_ duration: Duration) -> String {
        duration.formatted(.units(allowed: [.minutes, .seconds, .milliseconds], width: .wide))
    }
}
