import Foundation
import Sightline
import SightlineTestSupport
import TensorFlowLite

/// The tensor that a picture gives, written down as plainly as possible: real numbers, one pixel after another.
struct TensorReference {
    let pixels: PixelBuffer
    let orientation: ImageOrientation

    /// Width and height of the upright picture.
    var size: PixelSize { orientation.swapsAxes ? pixels.size.transposed : pixels.size }

    /// The real color at a place in the upright picture, in the channels of `order`.
    func color(x: Double, y: Double, order: InputFormat.Channels) -> [Double] {
        let (width, height) = (Double(pixels.width), Double(pixels.height))
        let (column, row): (Double, Double) =
            switch orientation {
            case .up: (x, y)
            case .upMirrored: (width - x, y)
            case .down: (width - x, height - y)
            case .downMirrored: (x, height - y)
            case .leftMirrored: (y, x)
            case .right: (y, height - x)
            case .rightMirrored: (width - y, height - x)
            case .left: (width - y, x)
            }
        let rgb: [Double]
        switch pixels.format {
        case .rgb, .rgba: rgb = (0..<3).map { sample(0, column, row, channel: $0) }
        case .bgra: rgb = (0..<3).map { sample(0, column, row, channel: 2 - $0) }
        case .gray: rgb = Array(repeating: sample(0, column, row, channel: 0), count: 3)
        case .nv12, .i420:
            let luma = sample(0, column, row, channel: 0)
            let blue = sample(1, column / 2, row / 2, channel: 0)
            let red = sample(
                pixels.format == .nv12 ? 1 : 2,
                column / 2,
                row / 2,
                channel: pixels.format == .nv12 ? 1 : 0
            )
            rgb = Self.rgb(luma: luma, blue: blue, red: red, range: pixels.range)
            if order == .gray {
                let gray = pixels.range == .full ? luma : (luma - 16) * 255 / 219
                return [min(max(gray, 0), 255)]
            }
        }
        return switch order {
        case .rgb: rgb
        case .bgr: rgb.reversed()
        case .gray: [0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]]
        }
    }

    static func rgb(luma: Double, blue: Double, red: Double, range: PixelBuffer.YCbCrRange) -> [Double] {
        let y = range == .full ? luma : (luma - 16) * 255 / 219
        let b = (blue - 128) * (range == .full ? 1 : 255.0 / 224)
        let r = (red - 128) * (range == .full ? 1 : 255.0 / 224)
        return [y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b].map { min(max($0, 0), 255) }
    }

    /// Bilinear, half-pixel centers, clamped.
    private func sample(_ plane: Int, _ x: Double, _ y: Double, channel: Int) -> Double {
        let size = PixelBuffer.planeSize(plane, of: pixels.size)
        let step = pixels.format.bytesPerSample(plane: plane)
        func value(_ column: Int, _ row: Int) -> Double {
            let data = pixels.planes[plane].data
            let column = min(max(column, 0), size.width - 1)
            let row = min(max(row, 0), size.height - 1)
            return Double(data[data.startIndex + row * pixels.planes[plane].bytesPerRow + column * step + channel])
        }
        let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
        let (u, v) = (x - 0.5 - left, y - 0.5 - top)
        let (column, row) = (Int(left), Int(top))
        return (value(column, row) * (1 - u) + value(column + 1, row) * u) * (1 - v)
            + (value(column, row + 1) * (1 - u) + value(column + 1, row + 1) * u) * v
    }

    /// The real pixel values of a tensor, in its own layout.
    func values(_ placement: Placement, as format: InputFormat) -> [Double] {
        let (width, height, channels) = (format.size.width, format.size.height, format.channels.count)
        var values = [Double](repeating: Double(placement.fill), count: width * height * channels)
        for y in 0..<height {
            for x in 0..<width {
                let u = (Double(x) + 0.5 - placement.target.x) / placement.target.width
                let v = (Double(y) + 0.5 - placement.target.y) / placement.target.height
                guard (0..<1).contains(u), (0..<1).contains(v) else { continue }
                let color = color(
                    x: placement.source.x + u * placement.source.width,
                    y: placement.source.y + v * placement.source.height,
                    order: format.channels
                )
                for channel in 0..<channels {
                    let index =
                        format.layout == .nhwc
                        ? (y * width + x) * channels + channel : (channel * height + y) * width + x
                    values[index] = color[channel]
                }
            }
        }
        return values
    }

    /// The real element that a pixel value becomes.
    static func element(_ value: Double, channel: Int, _ format: InputFormat) -> Double {
        let mean = Double(format.mean.count == 1 ? format.mean[0] : format.mean[channel])
        let deviation = Double(
            format.standardDeviation.count == 1 ? format.standardDeviation[0] : format.standardDeviation[channel]
        )
        let real = (value - mean) / deviation
        let limits: (Double, Double)
        switch format.dataType {
        case .uInt8: limits = (0, 255)
        case .int8: limits = (-128, 127)
        default: return real
        }
        guard let quantization = format.quantization else { return value + limits.0 }
        let stored = (real / Double(quantization.scale)).rounded() + Double(quantization.zeroPoint)
        return min(max(stored, limits.0), limits.1)
    }

    /// The elements of a tensor's bytes as real numbers.
    static func elements(_ bytes: [UInt8], _ format: InputFormat) -> [Double] {
        bytes.withUnsafeBytes { bytes in
            switch format.dataType {
            case .int8: bytes.bindMemory(to: Int8.self).map(Double.init)
            case .float16: bytes.bindMemory(to: UInt16.self).map { Double(Float16(bitPattern: $0)) }
            case .float32: bytes.bindMemory(to: Float.self).map(Double.init)
            default: bytes.map(Double.init)
            }
        }
    }
}

extension PixelBuffer {
    /// Random smooth content with random padding after each row.
    static func random(_ format: Format, _ size: PixelSize, using generator: inout RepeatableRandom) throws
        -> PixelBuffer
    {
        let planes = (0..<format.planeCount).map { index in
            let samples = planeSize(index, of: size)
            let row = samples.width * format.bytesPerSample(plane: index)
            let padded = row + Int.random(in: 0...9, using: &generator)
            let bytes = (0..<(padded * (samples.height - 1) + row)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            return Plane(data: Data(bytes), bytesPerRow: padded)
        }
        return try PixelBuffer(
            format: format,
            width: size.width,
            height: size.height,
            planes: planes,
            range: Bool.random(using: &generator) ? .video : .full
        )
    }
}
