/// The source samples from which the pixels along one axis of a tensor get their values.
///
/// Each pixel has two neighboring source samples, given as byte offsets, and the weight of the second sample in 1/256.
struct AxisSamples {
    /// Weights add up to 2^8, so that a byte times a weight fits 16 bits. Rounding a weight changes a value by at most 1/512
    /// of the difference of the neighbors.
    static let weightBits: Int32 = 8

    struct Sample {
        var first: Int
        var second: Int
        var weight: Int32

        func moved(by offset: Int) -> Sample {
            Sample(first: first + offset, second: second + offset, weight: weight)
        }
    }

    let samples: [Sample]

    /// Maps the tensor's pixels to source samples: center to center, clamped at both ends.
    ///
    /// - Parameters:
    ///   - pixels: Pixels of the tensor.
    ///   - offset: The source coordinate of the tensor coordinate 0. Both coordinates are continuous: sample k covers k…k+1.
    ///   - slope: The source samples per tensor pixel; negative if the axes run in opposite directions.
    ///   - count: The number of samples of the source, at least 1.
    ///   - stride: The bytes from a source sample to the next.
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

extension DecodedImage {
    /// Returns the samples of a plane from which some of a tensor's columns or rows get their values.
    ///
    /// A tensor coordinate t is the upright coordinate source.x + (t − target.x) × source.width / target.width. The upright
    /// axis is an axis of the stored picture, perhaps in the opposite direction, of which the pixels cover `region`.
    func samples(
        _ tensorPixels: Range<Int>,
        plane: Int,
        _ placement: Placement,
        areTensorColumns: Bool
    ) -> AxisSamples {
        let (source, target) = (placement.source, placement.target)
        var slope = areTensorColumns ? source.width / target.width : source.height / target.height
        var offset = areTensorColumns ? source.x - target.x * slope : source.y - target.y * slope
        let areStoredColumns = areTensorColumns != orientation.swapsAxes
        if areStoredColumns ? orientation.mirrorsColumns : orientation.mirrorsRows {
            slope = -slope
            offset = Double(areStoredColumns ? storedSize.width : storedSize.height) - offset
        }
        let planeSize = PixelBuffer.planeSize(plane, of: pixels.size)
        let subsampling: Double = plane == 0 ? 1 : 2
        if areStoredColumns {
            let scale = Double(pixels.width) / region.width / subsampling
            return AxisSamples(
                tensorPixels,
                offset: (offset - region.x) * scale,
                slope: slope * scale,
                count: planeSize.width,
                stride: pixels.format.bytesPerSample(plane: plane)
            )
        }
        let scale = Double(pixels.height) / region.height / subsampling
        return AxisSamples(
            tensorPixels,
            offset: (offset - region.y) * scale,
            slope: slope * scale,
            count: planeSize.height,
            stride: pixels.planes[plane].bytesPerRow
        )
    }
}
