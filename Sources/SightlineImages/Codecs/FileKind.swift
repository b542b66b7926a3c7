import Foundation

/// The use of a file in a folder.
///
/// The first bytes of a file decide. The name decides only where bytes cannot: if there are none, if they are those of no known kind,
/// and for two formats that share their bytes with another.
package enum FileKind: Sendable, Hashable {
    /// A picture that Sightline reads, or a file with the name of one, which shall fail with its reason.
    case picture
    /// A picture in another format.
    case otherPicture
    /// A video, or a file with the name of one.
    case video
    /// Text, sound, or any other file.
    case other

    /// The bytes that are read: MPEG-TS shows itself after five packets, Ogg after its first pages.
    private static let headSize = 4096

    /// The raw files of cameras are TIFF files, whose picture is only a small copy.
    private static let rawTypes: Set<String> = [
        "dng", "cr2", "nef", "nrw", "arw", "sr2", "srf", "pef", "srw", "3fr", "dcr", "kdc", "erf", "mef", "mos", "iiq",
        "rwl",
    ]
    /// Frames that follow one another as JPEG files.
    private static let frameTypes: Set<String> = ["mjpeg", "mjpg"]
    private static let otherPictureTypes: Set<String> = rawTypes.union([
        "jp2", "j2k", "jxl", "jxr", "tga", "psd", "ico", "pnm", "ppm", "pgm", "pbm", "exr", "qoi", "cr3", "orf", "raf",
        "rw2",
    ])
    /// Two of them are also names of text, of the language TypeScript.
    private static let videoTypes: Set<String> = frameTypes.union([
        "mp4", "m4v", "mov", "qt", "mkv", "webm", "avi", "divx", "mpg", "mpeg", "vob", "m2v", "m1v", "mts", "m2ts",
        "ts", "3gp",
        "3g2", "wmv", "asf", "flv", "f4v", "ogv", "mxf", "dav", "y4m", "ivf", "h264", "264", "h265", "265", "hevc",
        "dv",
    ])
    private static let videoAndTextTypes: Set<String> = ["ts", "mts"]

    /// Reads the first bytes of a file.
    ///
    /// - Parameters:
    ///   - path: the path as the system takes it.
    ///   - name: the file's name.
    package init(ofFileAt path: UnsafePointer<CChar>, name: String) {
        // To open a pipe or a device can have effects.
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let file = isFile ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
        guard file >= 0 else {
            self.init(named: name, isText: false)
            return
        }
        defer { close(file) }
        let head = [UInt8](unsafeUninitializedCapacity: Self.headSize) { buffer, count in
            count = max(read(file, buffer.baseAddress, Self.headSize), 0)
        }
        self.init(head: Data(head), name: name)
    }

    /// Reads the first bytes of a file.
    package init(of url: URL) {
        self = url.path(percentEncoded: false).withCString { FileKind(ofFileAt: $0, name: url.lastPathComponent) }
    }

    /// Decides by the first bytes of a file and its name.
    package init(head: Data, name: String) {
        let type = Self.type(of: name)
        let file = ByteReader(data: head)
        if let format = ImageFormat.readable.first(where: { $0.codec.recognizes(file) }) {
            if format.codec is TIFFCodec, Self.rawTypes.contains(type) {
                self = .otherPicture
            } else {
                self = format == .jpeg && Self.frameTypes.contains(type) ? .video : .picture
            }
            return
        }
        let signature = FileSignature(of: file)
        switch signature.kind {
        // A picture with the name of another format.
        case .picture: self = ImageFormat.isReadable(fileName: name) ? .picture : .otherPicture
        case .video: self = type == "wma" ? .other : .video
        case .text: self.init(named: name, isText: true)
        case .unknown, .other, .archive: self.init(named: name, isText: false)
        }
    }

    private init(named name: String, isText: Bool) {
        let type = Self.type(of: name)
        if ImageFormat.isReadable(fileName: name) {
            self = .picture
        } else if Self.otherPictureTypes.contains(type) {
            self = .otherPicture
        } else if Self.isVideo(fileName: name), !isText || !Self.videoAndTextTypes.contains(type) {
            self = .video
        } else {
            self = .other
        }
    }

    /// Whether a name has the extension of a video.
    package static func isVideo(fileName: String) -> Bool { videoTypes.contains(type(of: fileName)) }

    /// The extension of a name, in lower case and without the dot.
    private static func type(of name: String) -> String {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }
}
