import CFFmpeg
import Foundation
import Sightline

/// A decoded frame of FFmpeg. Its last owner frees it.
///
/// Unsafe code: the pointer is owned by this object alone and valid until `deinit`; frames are only read after they were
/// decoded, and FFmpeg counts references to their memory atomically.
final class FrameMemory {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { cff_frame_free(pointer) }

    var info: CFFFrameInfo {
        var info = CFFFrameInfo()
        cff_frame_info(pointer, &info)
        return info
    }

    /// The planes in the frame's memory, which lives as long as a plane; nil if the format needs a conversion.
    func pixels(_ info: CFFFrameInfo) throws(VideoError) -> PixelBuffer? {
        let format: PixelBuffer.Format
        switch info.layout {
        case CFFLayoutI420: format = .i420
        case CFFLayoutNV12: format = .nv12
        case CFFLayoutGray: format = .gray
        case CFFLayoutRGB: format = .rgb
        case CFFLayoutRGBA: format = .rgba
        case CFFLayoutBGRA: format = .bgra
        default: return nil
        }
        let (width, height) = (Int(info.width), Int(info.height))
        let starts = [info.planes.0, info.planes.1, info.planes.2]
        let strides = [info.strides.0, info.strides.1, info.strides.2]
        var planes: [PixelBuffer.Plane] = []
        for (index, (start, stride)) in zip(starts, strides).prefix(format.planeCount).enumerated() {
            guard let start else { return nil }
            let size = PixelBuffer.planeSize(index, of: PixelSize(width: width, height: height))
            // FFmpeg's planes hold all their rows; the last one need not be padded. Sizes fit its 32-bit numbers.
            let count = Int(stride) * (size.height - 1) + size.width * format.bytesPerSample(plane: index)
            let data = Data(
                bytesNoCopy: start,
                count: count,
                deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
            )
            planes.append(PixelBuffer.Plane(data: data, bytesPerRow: Int(stride)))
        }
        do throws(ImageError) {
            return try PixelBuffer(
                format: format,
                width: width,
                height: height,
                planes: planes,
                range: info.isFullRange ? .full : .video,
                matrix: Self.matrix(info)
            )
        } catch {
            throw .image(error)
        }
    }

    /// The frame's matrix; without a value, the usual assumption of players: BT.709 for high definition.
    private static func matrix(_ info: CFFFrameInfo) -> PixelBuffer.YCbCrMatrix {
        switch info.matrix {
        case CFFMatrixBT601: .bt601
        case CFFMatrixBT709: .bt709
        default: info.height >= 720 ? .bt709 : .bt601
        }
    }
}

extension ImageOrientation {
    /// The orientation of a display matrix; for an oblique matrix, the nearest orientation.
    ///
    /// A point (x, y) of the stored frame is shown at (a x + c y, b x + d y), as in ISO/IEC 14496-12, section 6.2.2.
    init(displayMatrix matrix: (a: Int32, b: Int32, c: Int32, d: Int32)) {
        let (a, b, c, d) = (Double(matrix.a), Double(matrix.b), Double(matrix.c), Double(matrix.d))
        if abs(a) + abs(d) >= abs(b) + abs(c) {
            switch (a >= 0, d >= 0) {
            case (true, true): self = .up
            case (false, true): self = .upMirrored
            case (false, false): self = .down
            case (true, false): self = .downMirrored
            }
        } else {
            switch (b >= 0, c >= 0) {
            case (true, false): self = .right
            case (false, true): self = .left
            case (true, true): self = .leftMirrored
            case (false, false): self = .rightMirrored
            }
        }
    }
}

extension InputHandle {
    /// The pixels of a frame in a format of the package, converted if necessary.
    ///
    /// - Throws: `VideoError.unsupportedCodec` if the frame has no such form, and the errors of the conversion's library.
    func pixels(of memory: FrameMemory, input name: String, codec: String) throws(VideoError) -> PixelBuffer {
        if let direct = try memory.pixels(memory.info) { return direct }
        try FFmpeg.useScaling()
        var code: Int32 = 0
        guard let converted = cff_frame_converted(pointer, memory.pointer, &code) else {
            throw .unsupportedCodec(input: name, codec: "\(codec) (\(FFmpeg.reason(code)))")
        }
        let copy = FrameMemory(converted)
        // A copy of the graphics processor's frame may need the conversion.
        if memory.info.isInHardware { return try pixels(of: copy, input: name, codec: codec) }
        guard let copied = try copy.pixels(copy.info) else { throw .unsupportedCodec(input: name, codec: codec) }
        return copied
    }
}
