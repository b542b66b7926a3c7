/// Where the pixels along one axis of a tensor take their values from, along an axis of the source.
///
/// Each has two neighbouring source samples, given as byte offsets, and the weight of the second in 1/2048.
struct AxisSamples {
    /// Weights add up to 2^11: two of them and a byte fit 32 bits.
    static let weightBits: Int32 = 11

    struct Sample {
        var first: Int
        var second: Int
        var weight: Int32
    }

    let samples: [Sample]

    /// Maps the tensor's pixels to source samples: centre to centre, clamped at both ends.
    ///
    /// - Parameters:
    ///   - pixels: which pixels of the tensor.
    ///   - position: brings a tensor coordinate to a source coordinate: offset + slope × coordinate. Both frames count
    ///     continuously, sample k covering k…k+1.
    ///   - count: how many samples the source has, at least 1.
    ///   - stride: bytes from a source sample to the next.
    init(_ pixels: Range<Int>, offset: Double, slope: Double, count: Int, stride: Int) {
        let one = Int32(1) << Self.weightBits
        let last = Double(count - 1)
        samples = pixels.map { pixel in
            // Within 0…last, also when the position is infinite.
            let position = max(min(offset + slope * (Double(pixel) + 0.5) - 0.5, last), 0)
            let first = Int(position)
            let weight = Int32(((position - Double(first)) * Double(one)).rounded())
            let second = min(first + 1, count - 1)
            return Sample(first: first * stride, second: second * stride, weight: weight)
        }
    }
}
