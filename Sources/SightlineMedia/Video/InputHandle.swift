import CFFmpeg
import Foundation
import Sightline

/// An open input of FFmpeg. Its owner closes it.
///
/// Unsafe code: the pointer is owned by this object alone and valid until `deinit`; strings that are passed live through the
/// call.
final class InputHandle {
    let pointer: OpaquePointer
    /// FFmpeg reads from it as long as the input is open.
    private let pipe: VideoPipe?
    /// FFmpeg calls it as long as the input is open.
    private let interruption: Interruption

    /// The input and its settings.
    struct Request {
        var url: String
        /// The bytes, if they come through a pipe.
        var pipe: VideoPipe?
        /// The demuxer, if the content does not determine it.
        var format: String?
        /// The allowed demuxers; nil for all.
        var formats: String?
        var protocols: String
        var options: [String: String] = [:]
        var isLive: Bool
    }

    /// The demuxers for files: formats that contain their video, and formats of sound, which allow a better message.
    static let fileFormats =
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf,nut,ivf,obu,av1,h264,hevc,m4v,mjpeg,"
        + "yuv4mpegpipe,gif,apng,dv,dhav,jpeg_pipe,png_pipe,webp_pipe,mp3,wav,flac,aac,aiff,ac3,amr,w64"

    /// The protocols that streams may use.
    static let streamProtocols = "http,https,rtsp,tcp,udp,tls,rtp"

    init(
        _ request: Request,
        input name: String,
        options: VideoReaderOptions,
        interruption: Interruption
    ) throws(VideoError) {
        var failure = CFFOpenFailure()
        let texts = request.options.sorted { $0.key < $1.key }.flatMap { [strdup($0.key), strdup($0.value)] }
        defer { texts.forEach { free($0) } }
        let threads = options.decoderThreads ?? min(ProcessInfo.processInfo.activeProcessorCount, 4)
        let opened = texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { texts in
            Self.withOptionalCString(request.format) { format in
                Self.withOptionalCString(request.formats) { formats in
                    request.url.withCString { url in
                        request.protocols.withCString { protocols in
                            var call = CFFInputRequest()
                            call.url = url
                            call.format = format
                            call.formats = formats
                            call.protocols = protocols
                            call.options = texts.baseAddress
                            call.optionCount = texts.count / 2
                            call.threads = Int32(clamping: max(threads, 1))
                            call.isLive = request.isLive
                            call.usesVAAPI = options.decoder == .vaapi
                            call.keepsEdges = !options.smoothsAllFrames
                            call.maximumPixels = Int64(clamping: options.maximumPixels)
                            call.interrupt = interruption.handle
                            guard var descriptor = request.pipe?.descriptor else {
                                return cff_input_open(&call, &failure)
                            }
                            return withUnsafePointer(to: &descriptor) { descriptor in
                                call.pipe = descriptor
                                return cff_input_open(&call, &failure)
                            }
                        }
                    }
                }
            }
        }
        guard let opened else {
            throw Self.error(&failure, input: name, of: request, options: options)
        }
        pointer = opened
        pipe = request.pipe
        self.interruption = interruption
    }

    deinit { cff_input_close(pointer) }

    /// The reason why the graphics processor does not decode; nil if it does, or is not asked to.
    var hardwareFailure: String? {
        let code = cff_input_hardware_error(pointer)
        return code == 0 ? nil : FFmpeg.reason(code)
    }

    var info: CFFInputInfo {
        var info = CFFInputInfo()
        cff_input_info(pointer, &info)
        return info
    }

    private static func withOptionalCString<Result>(
        _ text: String?,
        _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    /// Whether the name of a host leads to an address. May wait for a name server.
    private static func isKnown(host: String) -> Bool {
        var found: UnsafeMutablePointer<addrinfo>?
        defer { if let found { freeaddrinfo(found) } }
        return getaddrinfo(host, nil, nil, &found) == 0
    }

    private static func error(
        _ failure: inout CFFOpenFailure,
        input: String,
        of request: Request,
        options: VideoReaderOptions
    ) -> VideoError {
        let detail = FFmpeg.text(of: &failure.detail)
        let isPipe = request.pipe != nil
        let host = request.protocols == streamProtocols ? StreamAddress.host(of: request.url) : nil
        switch (failure.stage, cff_error_kind(failure.code)) {
        case (_, CFFErrorInterrupted):
            return .timedOut(input: input, after: options.timeout)
        case (_, CFFErrorNoMemory):
            return .outOfMemory(input: input)
        case (CFFOpenStageFormat, _):
            return .unsupportedFormat(input: input, found: detail)
        case (CFFOpenStageNoVideo, _):
            return .noVideo(input: input, hasAudio: failure.hasAudio)
        case (CFFOpenStageSize, _):
            let size = PixelSize(width: Int(failure.width), height: Int(failure.height))
            return .tooLarge(input: input, size, maximumPixels: options.maximumPixels)
        case (CFFOpenStageDecoder, _):
            return .unsupportedCodec(input: input, codec: detail)
        case (_, CFFErrorInvalidData) where isPipe, (_, CFFErrorEnd) where isPipe:
            return .notStreamable(input: input, reason: FFmpeg.reason(failure.code))
        case (_, CFFErrorInvalidData):
            return .notAVideo(input: input, reason: FFmpeg.reason(failure.code))
        case (_, CFFErrorUnauthorized):
            return .unauthorized(input: input, reason: FFmpeg.reason(failure.code))
        case (_, CFFErrorInputOutput) where host.map { !isKnown(host: $0) } ?? false:
            return .unknownHost(input: input, host: host ?? "")
        case _ where request.protocols == streamProtocols:
            return .unreachable(input: input, reason: FFmpeg.reason(failure.code))
        default:
            return .unreadable(input: input, reason: FFmpeg.reason(failure.code))
        }
    }
}
