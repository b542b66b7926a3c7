import Foundation

/// A source of frames.
public enum VideoInput: Sendable, Hashable {
    /// A video file with H.264, HEVC, VP9, AV1, MJPEG, MPEG-4 or another codec of FFmpeg, in MP4, MOV, MKV, WebM, AVI, MPEG-TS or a
    /// few more formats; or a single picture.
    case file(URL)
    /// Pictures in the order of their names, with numbers in names sorted as numbers: the pictures of a folder, or of a pattern such as
    /// `img%06d.jpg` or `*.jpg`. Behind a gap in the numbers of a pattern with `%d`, pictures keep their distance in time.
    case pictures(URL, frameRate: Double)
    /// Pictures of a list, in the order of their names.
    case pictureFiles([URL], frameRate: Double)
    /// A video that comes through a pipe or a socket, read once from its beginning to its end: `/dev/stdin`, or a named pipe. Its
    /// format must not need the end of the file: Matroska, WebM, MPEG-TS, MJPEG, fragmented MP4, and MP4 with its index in front.
    case pipe(path: String)
    /// A camera by its device, for example `/dev/video0`, with a size and a frame rate if the camera offers them.
    case camera(path: String, size: CameraSize? = nil, frameRate: Double? = nil)
    /// An address: `rtsp`, `rtsps`, `http`, `https`, `udp`, `tcp` or `rtp`.
    case stream(URL)

    /// A camera's picture size in pixels.
    public struct CameraSize: Sendable, Hashable {
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The schemes of addresses.
    static let schemes: Set<String> = ["rtsp", "rtsps", "http", "https", "udp", "tcp", "rtp"]

    /// Interprets a text from a command line: an address, standard input, a device, a folder, a pattern or a file.
    ///
    /// - Parameters:
    ///   - text: for example `rtsp://camera/1`, `-` for standard input, `/dev/video0`, `frames/`, `img%06d.jpg`, `*.jpg` or
    ///     `street.mp4`.
    ///   - frameRate: the number of pictures in a second, if the text names pictures.
    public init(_ text: String, frameRate: Double = 25) {
        if let scheme = text.range(of: "://").map({ text[..<$0.lowerBound].lowercased() }),
            Self.schemes.contains(scheme), let address = URL(string: text)
        {
            self = .stream(address)
        } else if let pipe = VideoPipe.path(text) {
            self = .pipe(path: pipe)
        } else if text.hasPrefix("/dev/"), !VideoPipe.isRegularFile(text) {
            self = .camera(path: text)
        } else {
            // A file that the shell opened as standard input is a file, in which a reader can go to any place.
            let url = URL(filePath: text == "-" ? VideoPipe.standardInput : text)
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
            let name = url.lastPathComponent
            let isPattern = !exists && (PictureNames.isPattern(name) || PictureNames.isWildcard(name))
            self = isFolder.boolValue || isPattern ? .pictures(url, frameRate: frameRate) : .file(url)
        }
    }

    /// Whether the input is a file or files, which have an end and can be read again.
    public var canBeReadAgain: Bool {
        switch self {
        case .file, .pictures, .pictureFiles: true
        case .pipe, .camera, .stream: false
        }
    }

    /// The name in messages: of an address, the scheme, the host and the port alone, since the rest may have a password.
    package var name: String {
        switch self {
        case .file(let url), .pictures(let url, _):
            guard url.isFileURL else { return StreamAddress.printed(url.absoluteString) }
            return StreamAddress.scheme(of: url.relativePath) == nil
                ? url.path(percentEncoded: false) : StreamAddress.printed(url.relativePath)
        case .pictureFiles(let urls, _):
            return urls.first?.path(percentEncoded: false) ?? "pictures"
        case .camera(let path, _, _):
            return path
        case .pipe(let path):
            return path == VideoPipe.standardInput ? "standard input" : path
        case .stream(let url):
            return StreamAddress.printed(url.absoluteString)
        }
    }
}
