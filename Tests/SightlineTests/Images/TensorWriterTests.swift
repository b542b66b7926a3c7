import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline
@testable import TensorFlowLite

@Suite(.hangLimit)
struct TensorWriterTests {
    /// Weights of 8 bits, at most half a level along each axis between black and white, and rounding before the table.
    static let tolerance = 1.5
    /// Three planes are rounded to 8 bits before they are converted, with factors up to 2.02.
    static let chromaTolerance = 4.5
    /// Video luma is rounded to 8 bits before it is stretched by 1.16.
    static let lumaTolerance = 2.0

    private func randomFormat(_ size: PixelSize, using generator: inout RepeatableRandom) -> InputFormat {
        let channels: [InputFormat.Channels] = [.rgb, .bgr, .gray]
        let types: [Tensor.DataType] = [.uInt8, .int8, .float16, .float32]
        var format = InputFormat(
            size: size,
            channels: channels.randomElement(using: &generator) ?? .rgb,
            layout: Bool.random(using: &generator) ? .nhwc : .nchw,
            dataType: types.randomElement(using: &generator) ?? .uInt8
        )
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: (format.mean, format.standardDeviation) = ([127.5], [127.5])
        case 1 where format.channels != .gray:
            (format.mean, format.standardDeviation) = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])
        default: break
        }
        if [.uInt8, .int8].contains(format.dataType), Bool.random(using: &generator) {
            format.quantization = QuantizationParameters(
                scale: .random(in: 0.004...2, using: &generator),
                zeroPoint: .random(in: -20...20, using: &generator)
            )
        }
        return format
    }

    @Test(arguments: PixelBuffer.Format.allCases, ImageOrientation.allCases)
    func everyTensorEqualsThePlainReference(
        pixelFormat: PixelBuffer.Format,
        orientation: ImageOrientation
    ) throws {
        var generator = RepeatableRandom(seed: UInt64(orientation.rawValue))
        for round in 0..<24 {
            let stored = PixelSize(
                width: .random(in: 1...40, using: &generator),
                height: .random(in: 1...40, using: &generator)
            )
            let pixels = try PixelBuffer.random(pixelFormat, stored, using: &generator)
            let reference = TensorReference(pixels: pixels, orientation: orientation)
            let image = VisionImage(pixels: pixels, orientation: orientation)
            let tensorSize = PixelSize(
                width: .random(in: 1...24, using: &generator),
                height: .random(in: 1...24, using: &generator)
            )
            var region = PixelRect(image.size)
            if round % 2 == 1 {
                // Up to half of it sticks out.
                region.width = .random(in: 0.5...region.width * 1.2, using: &generator)
                region.height = .random(in: 0.5...region.height * 1.2, using: &generator)
                region.x = .random(
                    in: -region.width / 2...Double(image.size.width) - region.width / 2,
                    using: &generator
                )
                region.y = .random(
                    in: -region.height / 2...Double(image.size.height) - region.height / 2,
                    using: &generator
                )
            }
            let fits: [ImageFit] = [
                .stretch, .crop, .letterbox(fill: 114, anchor: .center), .letterbox(fill: 0, anchor: .topLeft),
            ]
            let placement = Placement(region, into: tensorSize, fit: fits[round % 4])
            guard placement.source.intersection(PixelRect(image.size)) != nil else { continue }
            let format = randomFormat(tensorSize, using: &generator)

            let bytes = try image.decoded(for: [placement]).tensor(placement, as: format)

            let values = reference.values(placement, as: format)
            let elements = TensorReference.elements(bytes, format)
            let tolerance =
                switch (pixelFormat.isYCbCr, format.channels) {
                case (true, .gray): Self.lumaTolerance
                case (true, _): Self.chromaTolerance
                case (false, _): Self.tolerance
                }
            let plane = tensorSize.width * tensorSize.height
            var wrong: [String] = []
            for (index, (value, element)) in zip(values, elements).enumerated() {
                let channel = format.layout == .nhwc ? index % format.channels.count : index / plane
                let low = TensorReference.element(value - tolerance, channel: channel, format)
                let high = TensorReference.element(value + tolerance, channel: channel, format)
                // Half-precision elements up to 255 are off by at most 1/16.
                let slack = format.dataType == .float16 ? 0.07 : format.dataType == .float32 ? 1e-4 : 0
                if element < low - slack || element > high + slack {
                    wrong.append("\(index): \(element), expected \(low)…\(high)")
                }
            }
            #expect(wrong.isEmpty, "\(wrong.prefix(3)) in \(placement) as \(format)")
        }
    }

    /// Planar pictures are read by another path than turned pictures.
    @Test(arguments: [PixelBuffer.Format.gray, .i420])
    func turningAPlanarPictureChangesNoValue(format: PixelBuffer.Format) throws {
        var generator = RepeatableRandom(seed: 7)
        for _ in 0..<20 {
            let side = 2 * Int.random(in: 1...40, using: &generator)
            let pixels = try PixelBuffer.random(format, PixelSize(width: side, height: side), using: &generator)
            let transposed = try PixelBuffer(
                format: format,
                width: side,
                height: side,
                planes: pixels.planes.enumerated().map { index, plane in
                    let size = PixelBuffer.planeSize(index, of: pixels.size)
                    let rows = Data(
                        (0..<size.height).flatMap { row in
                            (0..<size.width).map { plane.data[plane.data.startIndex + $0 * plane.bytesPerRow + row] }
                        }
                    )
                    return PixelBuffer.Plane(data: rows, bytesPerRow: size.width)
                },
                range: pixels.range,
                matrix: pixels.matrix
            )
            let size = PixelSize(
                width: .random(in: 1...50, using: &generator),
                height: .random(in: 1...50, using: &generator)
            )
            let placement = Placement(PixelRect(pixels.size), into: size, fit: .stretch)
            let tensors = try [
                VisionImage(pixels: pixels, orientation: .up),
                VisionImage(pixels: transposed, orientation: .leftMirrored),
            ].map { try $0.decoded(for: [placement]).tensor(placement) }
            #expect(tensors[0] == tensors[1], "\(side) to \(size)")
        }
    }

    @Test func aPictureOfTheTensorsSizeIsCopiedExactly() throws {
        var generator = RepeatableRandom(seed: 1)
        let pixels = try PixelBuffer.random(.rgb, PixelSize(width: 31, height: 17), using: &generator)
        let placement = Placement(PixelRect(pixels.size), into: pixels.size, fit: .stretch)
        let tensor = try VisionImage(pixels: pixels).decoded(for: [placement]).tensor(placement)
        #expect(tensor == Picture(pixels).bytes)
    }

    @Test func theFillingPassesThroughTheTable() throws {
        let pixels = try PixelBuffer(
            format: .gray,
            width: 2,
            height: 1,
            planes: [PixelBuffer.Plane(data: Data([0, 0]), bytesPerRow: 2)]
        )
        let placement = Placement(
            PixelRect(pixels.size),
            into: PixelSize(width: 4, height: 4),
            fit: .letterbox(fill: 255, anchor: .topLeft)
        )
        let format = InputFormat(
            size: placement.tensorSize,
            channels: .gray,
            dataType: .float32,
            mean: [127.5],
            standardDeviation: [127.5]
        )
        let bytes = try VisionImage(pixels: pixels).decoded(for: [placement]).tensor(placement, as: format)
        let expected = Array(repeating: -1.0, count: 8) + Array(repeating: 1.0, count: 8)
        #expect(TensorReference.elements(bytes, format) == expected)
    }

    @Test func quantizedElementsAreRoundedAndClamped() throws {
        let levels = Data((0...255).map { UInt8($0) })
        let pixels = try PixelBuffer(
            format: .gray,
            width: 256,
            height: 1,
            planes: [PixelBuffer.Plane(data: levels, bytesPerRow: 256)]
        )
        let placement = Placement(PixelRect(pixels.size), into: pixels.size, fit: .stretch)
        var format = InputFormat(
            size: pixels.size,
            channels: .gray,
            dataType: .int8,
            mean: [0],
            standardDeviation: [255],
            quantization: QuantizationParameters(scale: 1 / 255, zeroPoint: -128)
        )
        let image = try VisionImage(pixels: pixels).decoded(for: [placement])
        let bytes = try image.tensor(placement, as: format)
        #expect(bytes.map { Int(Int8(bitPattern: $0)) } == Array(-128...127))
        format.quantization = QuantizationParameters(scale: 1 / 512, zeroPoint: 0)
        let clamped = try image.tensor(placement, as: format).map { Int(Int8(bitPattern: $0)) }
        #expect(clamped.first == 0 && clamped.last == 127 && clamped.max() == 127)
        format.quantization = nil
        #expect(try image.tensor(placement, as: format).map { Int(Int8(bitPattern: $0)) } == Array(-128...127))
    }

    @Test func halfPrecisionIsRoundedAsFloat16Does() {
        let special: [Float] = [
            0, -0, .infinity, -.infinity, 65504, 65519.9, 65520, 1e-8, 2.98e-8, 2.99e-8, -6e-5, 5.9e-8,
        ]
        for value in special { #expect(ElementTable.halfBits(value) == Float16(value).bitPattern) }
        #expect(Float16(bitPattern: ElementTable.halfBits(.nan)).isNaN)
        var generator = RepeatableRandom(seed: 3)
        let wrong = (0..<200_000).map { _ in Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator)) }
            .filter { !$0.isNaN && ElementTable.halfBits($0) != Float16($0).bitPattern }
        #expect(wrong.isEmpty)
        // All half-precision numbers and the ties between neighbors.
        for bits in UInt16(0)..<0x7BFF {
            let (low, high) = (Float(Float16(bitPattern: bits)), Float(Float16(bitPattern: bits + 1)))
            let middle = (low + high) / 2
            guard ElementTable.halfBits(low) == bits, ElementTable.halfBits(middle) == Float16(middle).bitPattern else {
                Issue.record("\(low), \(middle)")
                break
            }
        }
    }

    @Test func tensorsThatCannotBeWrittenAreErrors() throws {
        var generator = RepeatableRandom(seed: 1)
        let pixels = try PixelBuffer.random(.rgb, PixelSize(width: 8, height: 8), using: &generator)
        let size = PixelSize(width: 4, height: 4)
        let placement = Placement(PixelRect(pixels.size), into: size, fit: .stretch)
        let image = try VisionImage(pixels: pixels).decoded(for: [placement])
        var formats = [
            InputFormat(size: size, dataType: .float64), InputFormat(size: size, dataType: .int32),
            InputFormat(size: size, mean: [1, 2]), InputFormat(size: size, standardDeviation: [0]),
            InputFormat(size: size, standardDeviation: []), InputFormat(size: size, mean: [.nan]),
            InputFormat(size: size, quantization: QuantizationParameters(scale: 0, zeroPoint: 0)),
            InputFormat(size: PixelSize(width: 4, height: 5)),
        ]
        formats.append(InputFormat(size: size, channels: .gray, mean: [1, 2, 3]))
        for format in formats {
            #expect("\(format)") {
                try image.tensor(placement, as: format)
            } throws: { error in
                guard case ImageError.unsupportedInput = error else { return false }
                return true
            }
        }
        var short = [UInt8](repeating: 0, count: 47)
        #expect(throws: ImageError.self) {
            try short.withUnsafeMutableBytes { try image.write(placement, as: InputFormat(size: size), into: $0) }
        }
    }

    @Test func anUnalignedTensorIsWritten() throws {
        var generator = RepeatableRandom(seed: 1)
        let pixels = try PixelBuffer.random(.rgb, PixelSize(width: 8, height: 8), using: &generator)
        let placement = Placement(PixelRect(pixels.size), into: PixelSize(width: 4, height: 4), fit: .stretch)
        let format = InputFormat(size: placement.tensorSize, dataType: .float32)
        let image = try VisionImage(pixels: pixels).decoded(for: [placement])
        var bytes = [UInt8](repeating: 0, count: 4 * 4 * 3 * 4 + 1)
        try bytes.withUnsafeMutableBytes {
            try image.write(placement, as: format, into: UnsafeMutableRawBufferPointer(rebasing: $0[1...]))
        }
        #expect(Array(bytes[1...]) == (try image.tensor(placement, as: format)))
    }
}
