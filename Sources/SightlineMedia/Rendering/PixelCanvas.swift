import Foundation
import Sightline

/// Pixels in any format, for drawing. Ink is mixed into luma and color differences if the picture consists of these, so that a frame
/// of a video is not converted and only pixels under ink change.
///
/// Unsafe code: planes hold all rows of the picture, which `PixelBuffer` has checked, and the layout draws only into regions that lie
/// inside the picture.
struct PixelCanvas {
    let format: PixelBuffer.Format
    /// The size as stored.
    let size: PixelSize
    private let range: PixelBuffer.YCbCrRange
    private let matrix: PixelBuffer.YCbCrMatrix
    private var planes: [PixelBuffer.Plane]

    /// Creates a canvas on pixels that have no other owner. Shared pixels would be copied by the first stroke.
    init(adopting pixels: PixelBuffer) {
        (format, size, range, matrix) = (pixels.format, pixels.size, pixels.range, pixels.matrix)
        planes = pixels.planes
    }

    /// Creates a canvas on a copy of pixels.
    init(copying pixels: PixelBuffer) throws(MediaError) {
        self.init(adopting: pixels)
        var copies: [PixelBuffer.Plane] = []
        for plane in planes {
            guard let memory = malloc(plane.data.count) else { throw .drawingFailed(reason: "there is no memory") }
            plane.data.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { memcpy(memory, start, bytes.count) }
            }
            let data = Data(bytesNoCopy: memory, count: plane.data.count, deallocator: .free)
            copies.append(PixelBuffer.Plane(data: data, bytesPerRow: plane.bytesPerRow))
        }
        planes = copies
    }

    /// The pixels with everything that was drawn.
    func pixels() throws(MediaError) -> PixelBuffer {
        do throws(ImageError) {
            return try PixelBuffer(
                format: format,
                width: size.width,
                height: size.height,
                planes: planes,
                range: range,
                matrix: matrix
            )
        } catch {
            throw .image(error)
        }
    }

    /// Calls a function with the rows of the picture.
    mutating func draw<Failure: Error>(_ body: (borrowing PixelRows) throws(Failure) -> Void) throws(Failure) {
        var data = planes.map(\.data)
        let strides = planes.map(\.bytesPerRow)
        // The planes' own reference would make the others copy themselves.
        planes = []
        defer { planes = zip(data, strides).map { PixelBuffer.Plane(data: $0, bytesPerRow: $1) } }
        // Data's own function does not pass on typed errors.
        var result: Result<Void, Failure> = .success(())
        func lend(_ index: Int, _ starts: [UnsafeMutablePointer<UInt8>]) {
            guard index < strides.count else {
                let rows = PixelRows(
                    format: format,
                    size: size,
                    starts: starts,
                    strides: strides,
                    conversion: InkConversion(range, matrix)
                )
                do throws(Failure) {
                    try body(rows)
                } catch {
                    result = .failure(error)
                }
                return
            }
            var plane = data[index]
            data[index] = Data()
            plane.withUnsafeMutableBytes { bytes in
                guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                lend(index + 1, starts + [start])
            }
            data[index] = plane
        }
        lend(0, [])
        try result.get()
    }
}

/// The rows of a picture while they are drawn on.
struct PixelRows: ~Copyable {
    let format: PixelBuffer.Format
    let size: PixelSize
    let starts: [UnsafeMutablePointer<UInt8>]
    let strides: [Int]
    fileprivate let conversion: InkConversion

    fileprivate init(
        format: PixelBuffer.Format,
        size: PixelSize,
        starts: [UnsafeMutablePointer<UInt8>],
        strides: [Int],
        conversion: InkConversion
    ) {
        (self.format, self.size, self.starts, self.strides) = (format, size, starts, strides)
        self.conversion = conversion
    }

    /// Mixes ink into a region.
    ///
    /// - Parameters:
    ///   - ink: 0xAARRGGBB, colors multiplied with alpha, `inkPerRow` a row.
    ///   - region: whole pixels that lie inside the picture; its left and upper edges are even.
    func blend(_ ink: UnsafePointer<UInt32>, inkPerRow: Int, into region: PixelRegion) {
        switch format {
        case .rgb: blendColors(ink, inkPerRow, region, bytesPerPixel: 3, red: 0, blue: 2)
        case .rgba: blendColors(ink, inkPerRow, region, bytesPerPixel: 4, red: 0, blue: 2)
        case .bgra: blendColors(ink, inkPerRow, region, bytesPerPixel: 4, red: 2, blue: 0)
        case .gray: blendLuma(ink, inkPerRow, region, InkConversion(.full, .bt601))
        case .nv12:
            blendLuma(ink, inkPerRow, region, conversion)
            blendDifferences(ink, inkPerRow, region, blue: starts[1], red: starts[1] + 1, stride: strides[1], step: 2)
        case .i420:
            blendLuma(ink, inkPerRow, region, conversion)
            blendDifferences(
                ink,
                inkPerRow,
                region,
                blue: starts[1],
                red: starts[2],
                stride: strides[1],
                redStride: strides[2],
                step: 1
            )
        }
    }

    private func blendColors(
        _ ink: UnsafePointer<UInt32>,
        _ inkPerRow: Int,
        _ region: PixelRegion,
        bytesPerPixel: Int,
        red: Int,
        blue: Int
    ) {
        for row in 0..<region.height {
            let ink = ink + row * inkPerRow
            var pixel = starts[0] + (region.y + row) * strides[0] + region.x * bytesPerPixel
            for column in 0..<region.width {
                let value = ink[column]
                if value != 0 {
                    let rest = 255 &- (value &>> 24)
                    pixel[red] = Self.mix(pixel[red], rest, (value &>> 16) & 255)
                    pixel[1] = Self.mix(pixel[1], rest, (value &>> 8) & 255)
                    pixel[blue] = Self.mix(pixel[blue], rest, value & 255)
                }
                pixel += bytesPerPixel
            }
        }
    }

    private func blendLuma(
        _ ink: UnsafePointer<UInt32>,
        _ inkPerRow: Int,
        _ region: PixelRegion,
        _ conversion: InkConversion
    ) {
        for row in 0..<region.height {
            let ink = ink + row * inkPerRow
            let pixels = starts[0] + (region.y + row) * strides[0] + region.x
            // Most neighboring pixels have the same ink.
            var (last, luma): (UInt32, UInt32) = (0, 0)
            for column in 0..<region.width {
                let value = ink[column]
                guard value != 0 else { continue }
                if value != last { (last, luma) = (value, conversion.luma(InkSum(value), 1)) }
                pixels[column] = Self.mix(pixels[column], 255 &- (value &>> 24), luma)
            }
        }
    }

    /// Two by two pixels share their color differences; at the picture's edge, fewer pixels do.
    private func blendDifferences(
        _ ink: UnsafePointer<UInt32>,
        _ inkPerRow: Int,
        _ region: PixelRegion,
        blue: UnsafeMutablePointer<UInt8>,
        red: UnsafeMutablePointer<UInt8>,
        stride: Int,
        redStride: Int? = nil,
        step: Int
    ) {
        for row in 0..<(region.height + 1) / 2 {
            let upper = ink + 2 * row * inkPerRow
            let hasLower = 2 * row + 1 < region.height
            let lower = hasLower ? upper + inkPerRow : upper
            let offset = region.x / 2 * step
            let blues = blue + (region.y / 2 + row) * stride + offset
            let reds = red + (region.y / 2 + row) * (redStride ?? stride) + offset
            var (last, lastBlue, lastRed): (UInt32, UInt32, UInt32) = (0, 0, 0)
            for column in 0..<(region.width + 1) / 2 {
                let left = 2 &* column
                let right = left &+ 1 < region.width ? left &+ 1 : left
                // At the edge, a pixel stands for its missing neighbor too.
                let (first, second, third, fourth) = (upper[left], upper[right], lower[left], lower[right])
                guard first | second | third | fourth != 0 else { continue }
                let index = column &* step
                if first == second, first == third, first == fourth {
                    if first != last {
                        let sum = InkSum(first)
                        (last, lastBlue, lastRed) = (
                            first, conversion.blueDifference(sum, 1), conversion.redDifference(sum, 1)
                        )
                    }
                    blues[index] = Self.mix(blues[index], 255 &- (first &>> 24), lastBlue)
                    reds[index] = Self.mix(reds[index], 255 &- (first &>> 24), lastRed)
                    continue
                }
                let sum = InkSum(first) + InkSum(second) + InkSum(third) + InkSum(fourth)
                let rest = 255 &- (sum.alpha &+ 2) / 4
                blues[index] = Self.mix(blues[index], rest, conversion.blueDifference(sum, 4))
                reds[index] = Self.mix(reds[index], rest, conversion.redDifference(sum, 4))
            }
        }
    }

    /// Puts ink over a value, of which `rest` / 255 remains visible.
    @inline(__always)
    private static func mix(_ value: UInt8, _ rest: UInt32, _ ink: UInt32) -> UInt8 {
        // Division by 255, rounded.
        let product = UInt32(value) &* rest &+ 128
        return UInt8(truncatingIfNeeded: min(ink &+ (product &+ product &>> 8) &>> 8, 255))
    }
}

/// A rectangle of whole pixels of a picture as stored.
struct PixelRegion {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}
