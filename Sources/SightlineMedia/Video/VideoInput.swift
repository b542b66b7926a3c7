import Foundation

/// Where frames come from.
public enum VideoInput: Sendable, Hashable {
    /// A video file: H.264, HEVC, VP9, AV1, MJPEG, MPEG-4 and what else FFmpeg decodes, in MP4, MOV, MKV, WebM, AVI, MPEG-TS
    /// and a few more; also a single picture.
    case file(URL)
    /// Pictures in the order of their names: those of a folder (numbers in names count as numbers), or those that a
    /// pattern such as `img%06d.jpg` names, from the smallest number that is there, without gaps.
    case pictures(URL, frameRate: Double)
    /// A camera by its device, for example `/dev/video0`; size and rate as wished, if the camera has them.
    case camera(path: String, size: CameraSize? = nil, frameRate: Double? = nil)
    /// An address: `rtsp`, `rtsps`, `http`, `https`, `udp`, `tcp` or `rtp`.
    case stream(URL)

    /// A camera's picture size in pixels.
    public struct CameraSize: Sendable, Hashable {
        /// Pixels of a row.
        public let width: Int
        /// Rows.
        public let height: Int

        /// A size by its extents.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The schemes of addresses that are read.
    static let schemes: Set<String> = ["rtsp", "rtsps", "http", "https", "udp", "tcp", "rtp"]

    /// What a text means, as people type it: an address, a device, a folder, a pattern or a file.
    ///
    /// - Parameters:
    ///   - text: for example `rtsp://camera/1`, `/dev/video0`, `frames/`, `img%06d.jpg` or `street.mp4`.
    ///   - frameRate: of pictures that are read as a video.
    public init(_ text: String, frameRate: Double = 25) {
        if let scheme = text.range(of: "://").map({ text[..<$0.lowerBound].lowercased() }),
            Self.schemes.contains(scheme), let address = URL(string: text)
        {
            self = .stream(address)
        } else if text.hasPrefix("/dev/") {
            self = .camera(path: text)
        } else {
            let url = URL(filePath: text)
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
            let isPattern = !exists && PictureNames.isPattern(url.lastPathComponent)
            self = isFolder.boolValue || isPattern ? .pictures(url, frameRate: frameRate) : .file(url)
        }
    }

    /// The name for messages. The password of an address is left out.
    var name: String {
        switch self {
        case .file(let url), .pictures(let url, _):
            return url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString
        case .camera(let path, _, _):
            return path
        case .stream(let url):
            guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false), parts.password != nil else {
                return url.absoluteString
            }
            parts.password = "…"
            return parts.string ?? url.host() ?? "stream"
        }
    }
}
