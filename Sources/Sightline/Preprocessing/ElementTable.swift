import TensorFlowLite

/// The tensor element for each of the 256 pixel values, for each channel in the tensor's order.
enum ElementTable {
    /// Elements of one byte, unsigned or two's complement.
    case bytes([UInt8])
    /// The bits of half-precision elements.
    case halves([UInt16])
    /// Single-precision elements.
    case floats([Float])

    /// Whether elements are the pixel values themselves.
    var isIdentity: Bool {
        guard case .bytes(let elements) = self else { return false }
        return elements.indices.allSatisfy { Int(elements[$0]) == $0 & 0xFF }
    }

    /// - Throws: `ImageError.unsupportedInput` for an element type or parameters that do not fit pictures.
    init(_ format: InputFormat) throws(ImageError) {
        let channels = format.channels.count
        for (name, values) in [("mean", format.mean), ("standard deviation", format.standardDeviation)] {
            guard values.count == 1 || values.count == channels, values.allSatisfy(\.isFinite) else {
                throw .unsupportedInput(
                    reason: "its \(name) is \(values), expected one finite number or \(channels) of them"
                )
            }
        }
        guard format.standardDeviation.allSatisfy({ $0 != 0 }) else {
            throw .unsupportedInput(reason: "its standard deviation is 0")
        }
        if let scale = format.quantization?.scale, !(scale > 0 && scale.isFinite) {
            throw .unsupportedInput(reason: "its quantization scale is \(scale), expected a positive number")
        }
        switch format.dataType {
        case .uInt8:
            self = .bytes(
                Self.quantized(format, 0...255, asStored: 0).map { UInt8(truncatingIfNeeded: $0) }
            )
        case .int8:
            self = .bytes(
                Self.quantized(format, -128...127, asStored: -128).map { UInt8(truncatingIfNeeded: $0) }
            )
        case .float16:
            self = .halves(Self.real(format).map(Self.halfBits))
        case .float32:
            self = .floats(Self.real(format))
        default:
            throw .unsupportedInput(
                reason: "its elements are \(format.dataType), expected uInt8, int8, float16 or float32"
            )
        }
    }

    private static func real(_ format: InputFormat) -> [Float] {
        (0..<format.channels.count).flatMap { channel in
            let mean = format.mean[format.mean.count == 1 ? 0 : channel]
            let deviation = format.standardDeviation[format.standardDeviation.count == 1 ? 0 : channel]
            return (0...255).map { (Float($0) - mean) / deviation }
        }
    }

    /// - Parameter asStored: The element of pixel value 0 in a tensor without quantization parameters.
    private static func quantized(_ format: InputFormat, _ range: ClosedRange<Int>, asStored: Int) -> [Int] {
        guard let quantization = format.quantization else {
            return (0..<format.channels.count).flatMap { _ in (0...255).map { $0 + asStored } }
        }
        return real(format).map { value in
            let element = (Double(value) / Double(quantization.scale)).rounded() + Double(quantization.zeroPoint)
            // Clamped before it becomes an integer.
            return Int(min(max(element, Double(range.lowerBound)), Double(range.upperBound)))
        }
    }

    /// Returns the bits of the nearest half-precision number, ties to even (IEEE 754-2019, binary16). Numbers that are too large
    /// become infinite.
    ///
    /// `Float16` does the same, but some platforms lack it.
    static func halfBits(_ value: Float) -> UInt16 {
        let sign = UInt16(value.sign == .minus ? 0x8000 : 0)
        let magnitude = value.magnitude
        guard magnitude == magnitude else { return sign | 0x7E00 }
        guard magnitude < 65520 else { return sign | 0x7C00 }
        // Below 2⁻¹⁴ numbers are multiples of 2⁻²⁴; above, of their own power of two over 1024.
        let exponent = max(magnitude == 0 ? -14 : Int(magnitude.exponent), -14)
        let unit = Float(sign: .plus, exponent: exponent - 10, significand: 1)
        let steps = Int((magnitude / unit).rounded(.toNearestOrEven))
        // A normal number has 1024 to 2047 steps; 2048 carry into the exponent without further code.
        return sign | UInt16(truncatingIfNeeded: (exponent + 14) << 10 + steps)
    }
}
