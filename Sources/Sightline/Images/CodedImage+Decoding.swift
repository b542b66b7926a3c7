import CJPEG
import CPNG
import CWebP
import Foundation

/// Which part of a stored picture is needed, and how large.
struct DecodingNeed {
    /// In pixels of the stored picture, inside it.
    var region: PixelRect
    /// The pixels that are needed for each stored pixel, in the axis that needs more. Above 1 for enlargements.
    var scale: Double
}

/// Pixels that were decoded from a part of a stored picture.
struct DecodedRegion {
    let pixels: PixelBuffer
    /// What the pixels cover, in pixels of the stored picture.
    let region: PixelRect
}

extension CodedImage {
    /// Pixels around the region that the interpolation at its edges reads, at the decoded scale.
    private static let margin = 2.0
    /// From which share of the picture on decoding a part of it is not worth the trouble.
    private static let worthwhileShare = 0.9

    /// Decodes the region that is needed, or more, at the smallest scale that is offered and covers the need.
    ///
    /// JPEG offers M/8 with M from 1 to 8 through its cosine transform, WebP the same steps through its own scaler; PNG and
    /// animations have full size only. The nearest scale matters more than that libjpeg-turbo has vector code for 1, 2, 4
    /// and 8 alone: what is decoded larger is sampled with gaps, which cost COCO SSD a quarter of a point of mAP.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    func decoded(for need: DecodingNeed) throws(ImageError) -> DecodedRegion {
        // A need that is a scale up to rounding is met by that scale.
        let eighths = min(max(Int((min(need.scale, 1) * 8 - 1e-6).rounded(.up)), 1), 8)
        switch header {
        case .jpeg(let header): return try decodedJPEG(header, need, eighths: eighths)
        case .png(let header): return try decodedPNG(header, need)
        case .webp(let header): return try decodedWebP(header, need, eighths: header.isAnimated != 0 ? 8 : eighths)
        }
    }

    private func decodedJPEG(
        _ header: CJPEGHeader,
        _ need: DecodingNeed,
        eighths: Int
    ) throws(ImageError) -> DecodedRegion {
        if eighths == 1, let thumbnail = data.withUnsafeBytes(JPEGThumbnail.decode) {
            return try decoded(thumbnail)
        }
        let scale = Double(eighths) / 8
        let scaled = PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
        let part = part(
            of: scaled,
            need.region,
            scale: scale,
            columnStep: Int(header.horizontalSampling) * eighths,
            rowStep: Int(header.verticalSampling) * eighths
        )
        var region = CJPEGRegion(
            eighths: Int32(eighths),
            left: Int32(part.left),
            top: Int32(part.top),
            width: Int32(part.width),
            height: Int32(part.height)
        )
        var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
        let pixels = try Self.pixels(part.width, part.height, channels: Int(header.channels)) { rows, stride in
            data.withUnsafeBytes { cjpeg_decode($0.bytes, $0.count, &region, rows, stride, &message) }
        } check: { code throws(ImageError) in
            try Self.checkJPEG(code, message)
        }
        return DecodedRegion(pixels: pixels, region: part.rect(scale: scale))
    }

    /// The whole picture at an eighth of its size.
    private func decoded(_ thumbnail: JPEGThumbnail) throws(ImageError) -> DecodedRegion {
        let rows = PixelBuffer.Plane(data: Data(thumbnail.pixels), bytesPerRow: thumbnail.width * thumbnail.channels)
        let pixels = try PixelBuffer(
            format: thumbnail.channels == 1 ? .grey : .rgb,
            width: thumbnail.width,
            height: thumbnail.height,
            planes: [rows]
        )
        let covered = PixelSize(width: thumbnail.width * 8, height: thumbnail.height * 8)
        return DecodedRegion(pixels: pixels, region: PixelRect(covered))
    }

    private func decodedPNG(_ header: CPNGHeader, _ need: DecodingNeed) throws(ImageError) -> DecodedRegion {
        let isWhole = header.isInterlaced != 0
        let part = part(of: size, isWhole ? PixelRect(size) : need.region, scale: 1, columnStep: 1, rowStep: 1)
        var region = CPNGRegion(
            left: Int32(part.left),
            top: Int32(part.top),
            width: Int32(part.width),
            height: Int32(part.height)
        )
        var message = [CChar](repeating: 0, count: Int(CPNG_MESSAGE_SIZE))
        let pixels = try Self.pixels(part.width, part.height, channels: Int(header.channels)) { rows, stride in
            data.withUnsafeBytes { cpng_decode($0.bytes, $0.count, &region, rows, stride, &message) }
        } check: { code throws(ImageError) in
            try Self.checkPNG(code, message)
        }
        return DecodedRegion(pixels: pixels, region: part.rect(scale: 1))
    }

    private func decodedWebP(
        _ header: CWebPHeader,
        _ need: DecodingNeed,
        eighths: Int
    ) throws(ImageError) -> DecodedRegion {
        let isWhole = header.isAnimated != 0
        // The margin is one of scaled pixels.
        let margin = Self.margin * (8 / Double(eighths) - 1)
        let wanted = PixelRect(
            x: need.region.x - margin,
            y: need.region.y - margin,
            width: need.region.width + 2 * margin,
            height: need.region.height + 2 * margin
        )
        // The decoder crops at even columns and rows only.
        let part = part(of: size, isWhole ? PixelRect(size) : wanted, scale: 1, columnStep: 2, rowStep: 2)
        let width = (part.width * eighths + 7) / 8
        let height = (part.height * eighths + 7) / 8
        var region = CWebPRegion(
            left: Int32(part.left),
            top: Int32(part.top),
            width: Int32(part.width),
            height: Int32(part.height),
            scaledWidth: Int32(width),
            scaledHeight: Int32(height)
        )
        let pixels = try Self.pixels(width, height, channels: 3) { rows, stride in
            data.withUnsafeBytes { cwebp_decode($0.bytes, $0.count, &region, rows, stride) }
        } check: { code throws(ImageError) in
            try Self.checkWebP(code)
        }
        return DecodedRegion(pixels: pixels, region: part.rect(scale: 1))
    }

    /// A part of a picture in whole pixels of the decoded scale.
    private struct Part {
        var left: Int
        var top: Int
        var width: Int
        var height: Int

        func rect(scale: Double) -> PixelRect {
            PixelRect(
                x: Double(left) / scale,
                y: Double(top) / scale,
                width: Double(width) / scale,
                height: Double(height) / scale
            )
        }
    }

    /// The part of a scaled picture that covers a region and the margin around it and starts at multiples of the steps.
    private func part(
        of scaled: PixelSize,
        _ region: PixelRect,
        scale: Double,
        columnStep: Int,
        rowStep: Int
    ) -> Part {
        let (left, right) = Self.range(region.x * scale, region.maxX * scale, limit: scaled.width, step: columnStep)
        let (top, bottom) = Self.range(region.y * scale, region.maxY * scale, limit: scaled.height, step: rowStep)
        let share = Double(right - left) / Double(scaled.width) * Double(bottom - top) / Double(scaled.height)
        guard share < Self.worthwhileShare else {
            return Part(left: 0, top: 0, width: scaled.width, height: scaled.height)
        }
        return Part(left: left, top: top, width: right - left, height: bottom - top)
    }

    private static func range(_ from: Double, _ to: Double, limit: Int, step: Int) -> (Int, Int) {
        // Clamped before they become integers, and never empty.
        let first = Int(max(min((from - margin).rounded(.down), Double(limit - 1)), 0))
        let end = Int(max(min((to + margin).rounded(.up), Double(limit)), 0))
        return (first - first % step, max(end, first + 1))
    }

    /// Takes memory for rows without padding, lets `decode` fill all of it, and wraps it.
    private static func pixels(
        _ width: Int,
        _ height: Int,
        channels: Int,
        decode: (UnsafeMutablePointer<UInt8>, Int) -> Int32,
        check: (Int32) throws(ImageError) -> Void
    ) throws(ImageError) -> PixelBuffer {
        let stride = width * channels
        let data = try Data.filled(rows: height, stride: stride) { memory throws(ImageError) in
            try check(decode(memory.assumingMemoryBound(to: UInt8.self), stride))
        }
        return try PixelBuffer(
            format: channels == 1 ? .grey : .rgb,
            width: width,
            height: height,
            planes: [PixelBuffer.Plane(data: data, bytesPerRow: stride)]
        )
    }
}

extension Data {
    /// Takes memory without clearing it, lets `fill` write all of it, and wraps it; frees it if that fails.
    ///
    /// `fill` gets room for rows × stride bytes and must have written each of them before it returns.
    ///
    /// - Throws: `ImageError.outOfMemory`, and what `fill` throws.
    static func filled(
        rows: Int,
        stride: Int,
        by fill: (UnsafeMutableRawPointer) throws(ImageError) -> Void
    ) throws(ImageError) -> Data {
        let (count, overflow) = stride.multipliedReportingOverflow(by: rows)
        guard !overflow, let memory = malloc(count) else { throw .outOfMemory(bytes: overflow ? .max : count) }
        do throws(ImageError) {
            try fill(memory)
        } catch {
            free(memory)
            throw error
        }
        // Wrapped only now: a few bytes are copied into the value itself, and the memory is freed at once.
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }
}
