import Foundation

/// A small gray copy of a frame, or of a part of it.
struct GrayPicture: Sendable {
    /// Columns and rows.
    let size: PixelSize
    /// Brightness 0…255, row after row from the top.
    let values: [Float]

    /// The longer side of the copy from which the camera's motion is estimated.
    static let longerSide = 96

    /// The brightness at a column and a row inside the picture.
    subscript(column: Int, row: Int) -> Float { values[row * size.width + column] }

    /// Creates a picture; nil if the number of values does not match the size.
    init?(size: PixelSize, values: [Float]) {
        guard size.width > 0, size.height > 0, values.count == size.width * size.height else { return nil }
        self.size = size
        self.values = values
    }

    /// The placement with which a frame is sampled: at twice the copy's size, so that each of its values is a mean.
    static func placement(of frame: PixelSize) -> Placement {
        placement(of: PixelRect(frame), longerSide: longerSide)
    }

    /// The placement with which a part of a frame is sampled.
    ///
    /// - Parameter longerSide: the longer side of the copy, which is never larger than the part.
    static func placement(of part: PixelRect, longerSide: Int) -> Placement {
        let scale = min(Double(longerSide) / max(part.width, part.height), 1)
        func side(_ full: Double) -> Int { 2 * max(Int((full * scale).rounded()), 1) }
        return Placement(
            part,
            into: PixelSize(width: side(part.width), height: side(part.height)),
            fit: .stretch
        )
    }

    /// Makes the copy of a frame that was decoded for `placement(of:)`, or closer.
    init(_ picture: DecodedImage) throws(ImageError) {
        try self.init(picture, at: Self.placement(of: picture.size))
    }

    /// Makes the copy of the part of a frame that was decoded for a placement, or closer.
    ///
    /// Of luma and color planes only luma is touched, and of a large frame only four pixels for each of the samples.
    init(_ picture: DecodedImage, at placement: Placement) throws(ImageError) {
        let (width, height) = (placement.tensorSize.width, placement.tensorSize.height)
        var bytes = [UInt8](repeating: 0, count: width * height)
        let format = InputFormat(size: placement.tensorSize, channels: .gray)
        let outcome: Result<Void, ImageError> = bytes.withUnsafeMutableBytes { memory in
            do throws(ImageError) {
                return .success(try picture.write(placement, as: format, into: memory))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        size = PixelSize(width: width / 2, height: height / 2)
        values = Self.halved(bytes, width: width, height: height)
    }

    /// The picture at half the size, or nil if it is too small for that.
    func halved() -> GrayPicture? {
        let half = PixelSize(width: size.width / 2, height: size.height / 2)
        guard half.width > 0, half.height > 0 else { return nil }
        return GrayPicture(size: half, values: Self.halved(values, width: size.width, height: size.height))
    }

    /// The means of two by two values; an odd last column or row is left out.
    private static func halved(_ values: [UInt8], width: Int, height: Int) -> [Float] {
        var means: [Float] = []
        means.reserveCapacity((width / 2) * (height / 2))
        for row in 0..<height / 2 {
            let (upper, lower) = (2 * row * width, (2 * row + 1) * width)
            for column in stride(from: 0, to: width / 2 * 2, by: 2) {
                let sum =
                    UInt16(values[upper + column]) + UInt16(values[upper + column + 1])
                    + UInt16(values[lower + column]) + UInt16(values[lower + column + 1])
                means.append(Float(sum) / 4)
            }
        }
        return means
    }

    private static func halved(_ values: [Float], width: Int, height: Int) -> [Float] {
        var means: [Float] = []
        means.reserveCapacity((width / 2) * (height / 2))
        for row in 0..<height / 2 {
            let (upper, lower) = (2 * row * width, (2 * row + 1) * width)
            for column in stride(from: 0, to: width / 2 * 2, by: 2) {
                means.append(
                    (values[upper + column] + values[upper + column + 1] + values[lower + column]
                        + values[lower + column + 1]) / 4
                )
            }
        }
        return means
    }
}
