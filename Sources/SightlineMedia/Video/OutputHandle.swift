import CFFmpeg
import Foundation
import Sightline

/// An open output of FFmpeg. Its owner closes it.
///
/// Unsafe code: the pointer is owned by this object alone and valid until `deinit`; strings, planes and requests that are
/// passed live through the call, and planes hold all rows of their picture, which `PixelBuffer` has checked.
final class OutputHandle {
    private let pointer: OpaquePointer
    private let path: String

    struct Request {
        let url: URL
        /// Even.
        let size: PixelSize
        let frameRate: Double
        let isBT709: Bool
        let codec: VideoWriter.Codec
        let orientation: ImageOrientation
        let pixelAspect: PixelSize
        let audioSource: InputHandle.Request?
    }

    init(_ request: Request) throws(VideoError) {
        path = request.url.path(percentEncoded: false)
        guard let width = Int32(exactly: request.size.width), let height = Int32(exactly: request.size.height) else {
            throw .encodingFailed(
                path: path,
                reason: "\(request.size.width) × \(request.size.height) pixels are too many"
            )
        }
        var code: Int32 = 0
        let matrix = request.orientation.displayMatrix
        let opened = "file:\(path)".withCString { path in
            matrix.withUnsafeBufferPointer { matrix in
                var call = CFFOutputRequest()
                call.path = path
                call.width = width
                call.height = height
                call.rateNumerator = Int32((request.frameRate * 1000).rounded())
                call.rateDenominator = 1000
                // Two seconds: the part that a killed process may lose.
                call.keyFrameInterval = Int32(max((request.frameRate * 2).rounded(), 1))
                call.isBT709 = request.isBT709
                call.avoidsH264 = request.codec == .mpeg4
                call.pixelWidth = Int32(clamping: request.pixelAspect.width)
                call.pixelHeight = Int32(clamping: request.pixelAspect.height)
                call.matrix = request.orientation == .up ? nil : matrix.baseAddress
                return Self.open(&call, audioSource: request.audioSource, &code)
            }
        }
        guard let opened else { throw Self.error(code, path: path) }
        pointer = opened
    }

    private static func open(
        _ call: inout CFFOutputRequest,
        audioSource: InputHandle.Request?,
        _ code: inout Int32
    ) -> OpaquePointer? {
        guard let audioSource else { return cff_output_open(&call, &code) }
        return audioSource.url.withCString { url in
            audioSource.protocols.withCString { protocols in
                (audioSource.formats ?? "").withCString { formats in
                    var source = CFFInputRequest()
                    source.url = url
                    source.protocols = protocols
                    source.formats = formats
                    return withUnsafePointer(to: source) {
                        call.audioSource = $0
                        return cff_output_open(&call, &code)
                    }
                }
            }
        }
    }

    deinit { cff_output_close(pointer) }

    var info: CFFOutputInfo {
        var info = CFFOutputInfo()
        cff_output_info(pointer, &info)
        return info
    }

    func write(_ pixels: PixelBuffer, microseconds: Int64) throws(VideoError) {
        let code = pixels.withFrameInfo { cff_output_write(pointer, $0, microseconds) }
        guard let code else {
            throw .encodingFailed(path: path, reason: "\(pixels.width) × \(pixels.height) pixels are too many")
        }
        if code < 0 { throw Self.error(code, path: path) }
    }

    func finish() throws(VideoError) {
        let code = cff_output_finish(pointer)
        if code < 0 { throw Self.error(code, path: path) }
    }

    private static func error(_ code: Int32, path: String) -> VideoError {
        switch cff_error_kind(code) {
        case CFFErrorNoSpace: .diskFull(path: path)
        case CFFErrorNoMemory: .encodingFailed(path: path, reason: "there is no memory")
        case CFFErrorSystem, CFFErrorInputOutput: .unwritable(path: path, reason: FFmpeg.reason(code))
        default: .encodingFailed(path: path, reason: FFmpeg.reason(code))
        }
    }
}

extension ImageOrientation {
    /// The matrix that `init(displayMatrix:)` reads as this orientation.
    var displayMatrix: [Int32] {
        let one: Int32 = 1 << 16
        return switch self {
        case .up: [one, 0, 0, one]
        case .upMirrored: [-one, 0, 0, one]
        case .down: [-one, 0, 0, -one]
        case .downMirrored: [one, 0, 0, -one]
        case .right: [0, one, -one, 0]
        case .left: [0, -one, one, 0]
        case .leftMirrored: [0, one, one, 0]
        case .rightMirrored: [0, -one, -one, 0]
        }
    }
}

extension PixelBuffer {
    /// Lends the planes as FFmpeg's functions want them, for reading; nil if the numbers are too large for that.
    func withFrameInfo<Result>(_ body: (UnsafePointer<CFFFrameInfo>) -> Result) -> Result? {
        guard let width32 = Int32(exactly: width), let height32 = Int32(exactly: height) else { return nil }
        var info = CFFFrameInfo()
        info.width = width32
        info.height = height32
        info.isFullRange = range == .full
        info.matrix = matrix == .bt709 ? CFFMatrixBT709 : CFFMatrixBT601
        info.layout =
            switch format {
            case .rgb: CFFLayoutRGB
            case .rgba: CFFLayoutRGBA
            case .bgra: CFFLayoutBGRA
            case .gray: CFFLayoutGray
            case .nv12: CFFLayoutNV12
            case .i420: CFFLayoutI420
            }
        let strides = planes.map { Int32(exactly: $0.bytesPerRow) }
        guard !strides.contains(nil) else { return nil }
        func withPlane(_ index: Int, _ body: (UnsafeMutablePointer<UInt8>?, Int32) -> Result) -> Result {
            guard planes.indices.contains(index) else { return body(nil, 0) }
            return planes[index].data.withUnsafeBytes { bytes in
                // Only read.
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
                return body(start, strides[index] ?? 0)
            }
        }
        return withPlane(0) { first, firstStride in
            withPlane(1) { second, secondStride in
                withPlane(2) { third, thirdStride in
                    info.planes = (first, second, third)
                    info.strides = (firstStride, secondStride, thirdStride)
                    return withUnsafePointer(to: info) { body($0) }
                }
            }
        }
    }
}
