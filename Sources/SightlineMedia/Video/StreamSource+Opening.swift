import CFFmpeg
import Foundation
import Sightline

extension VideoInput {
    var isFile: Bool { if case .file = self { true } else { false } }
    var isPipe: Bool { if case .pipe = self { true } else { false } }
    /// Whether the bytes have an end, and the reader waits for them as long as it takes.
    var isFileOrPipe: Bool { isFile || isPipe }
    var isStream: Bool { if case .stream = self { true } else { false } }
}

extension VideoInfo {
    /// The values in a container.
    init(_ stated: CFFInputInfo, input: VideoInput) {
        var stated = stated
        let matrix = stated.matrix
        let orientation: ImageOrientation =
            stated.hasMatrix ? ImageOrientation(displayMatrix: (matrix.0, matrix.1, matrix.2, matrix.3)) : .up
        let stored = PixelSize(width: Int(stated.width), height: Int(stated.height))
        let rate = Double(stated.rateNumerator) / Double(stated.rateDenominator)
        let duration = stated.duration > 0 ? Duration.microseconds(stated.duration) : nil
        let isLive =
            switch input {
            case .file, .pictures, .pictureFiles, .pipe: false
            case .camera: true
            case .stream(let url): !Self.isFile(stated, url)
            }
        self.init(
            size: orientation.swapsAxes ? stored.transposed : stored,
            orientation: orientation,
            pixelAspect: PixelSize(width: Int(stated.pixelWidth), height: Int(stated.pixelHeight)),
            // A rate beyond a thousand frames a second is really the unit of time.
            frameRate: rate.isFinite && rate > 0 && rate <= 1000 ? rate : nil,
            duration: isLive ? nil : duration,
            frameCount: stated.frameCount > 0 ? Int(stated.frameCount) : nil,
            codec: FFmpeg.text(of: &stated.codec),
            hasAudio: stated.hasAudio,
            isLive: isLive
        )
    }
}

extension VideoInfo {
    /// Whether an address gives a video with an end: over HTTP, the container states a length, or the server states the number of
    /// bytes of a container. (A playlist is a file, too, but its video may be endless.)
    private static func isFile(_ stated: CFFInputInfo, _ url: URL) -> Bool {
        var stated = stated
        guard url.scheme?.lowercased().hasPrefix("http") ?? false else { return false }
        let names = FFmpeg.text(of: &stated.format).split(separator: ",")
        let isContainer = InputHandle.fileFormats.split(separator: ",").contains { names.contains($0) }
        return stated.duration > 0 || isContainer && stated.byteCount > 0
    }
}

extension InputHandle.Request {
    /// The settings for opening an input.
    init(_ input: VideoInput) throws(VideoError) {
        switch input {
        case .file(let url), .pictures(let url, _):
            try self.init(file: url)
        case .pictureFiles:
            throw .unreadable(input: input.name, reason: "pictures are read one by one")
        case .pipe(let path):
            self.init(
                url: "pipe:",
                pipe: try VideoPipe(path: path),
                formats: InputHandle.fileFormats,
                protocols: "pipe",
                isLive: false
            )
        case .camera(let path, let size, let frameRate):
            try FFmpeg.useDevices()
            var options: [String: String] = [:]
            if let size { options["video_size"] = "\(size.width)x\(size.height)" }
            if let frameRate { options["framerate"] = "\(frameRate)" }
            self.init(url: path, format: "v4l2", protocols: "file", options: options, isLive: true)
        case .stream(let url):
            guard let scheme = url.scheme?.lowercased(), VideoInput.schemes.contains(scheme) else {
                throw .unreadable(
                    input: input.name,
                    reason: "its scheme is \(url.scheme ?? "missing"), expected one of "
                        + VideoInput.schemes.sorted().joined(separator: ", ")
                )
            }
            // TCP loses no packets. UDP is the second choice, for servers without TCP.
            let options = scheme.hasPrefix("rtsp") ? ["rtsp_flags": "prefer_tcp"] : [:]
            self.init(
                url: url.absoluteString,
                protocols: InputHandle.streamProtocols,
                options: options,
                isLive: true
            )
        }
    }

    /// The settings for opening a file, which cannot lead to another file or to the network.
    init(file url: URL) throws(VideoError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL else {
            throw .unreadable(input: StreamAddress.printed(url.absoluteString), reason: "it is not a file URL")
        }
        guard StreamAddress.scheme(of: url.relativePath) == nil || VideoPipe.isRegularFile(path) else {
            throw .invalidAddress(input: StreamAddress.printed(url.relativePath))
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason =
                switch errno {
                case ENOENT, ENOTDIR: "there is no such file"
                case EACCES, EPERM: "permission is denied"
                case let code: String(cString: strerror(code))
                }
            throw .unreadable(input: path, reason: reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(input: path, reason: "it is not a regular file")
        }
        guard status.st_size > 0 else { throw .notAVideo(input: path, reason: "the file is empty") }
        guard access(path, R_OK) == 0 else { throw .unreadable(input: path, reason: "permission is denied") }
        self.init(url: "file:\(path)", formats: InputHandle.fileFormats, protocols: "file", isLive: false)
    }
}
