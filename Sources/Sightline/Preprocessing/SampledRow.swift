/// Values along a row of the tensor, between two rows of a plane, or between two columns if the picture is turned.
///
/// All implementations compute a + (b − a) × weight along both axes, scaled by 2^8 each, without rounding on the way, so that they
/// give the same values and turning a picture changes nothing. 255 × 2^16 fits 32 bits.
///
/// The caller guarantees that offsets lie in the plane; `TensorWriter` has the proof.
protocol SampledRow {
    /// The value at a column of the tensor, rounded to 8 bits.
    func value(_ index: Int, of columns: UnsafeBufferPointer<AxisSamples.Sample>, _ channel: Int) -> UInt8
}

/// Reads the four neighbors of each value from the plane.
struct DirectRow: SampledRow {
    private let first: UnsafePointer<UInt8>
    private let second: UnsafePointer<UInt8>
    private let weight: Int32

    init(_ plane: UnsafePointer<UInt8>, _ row: AxisSamples.Sample) {
        first = plane + row.first
        second = plane + row.second
        weight = row.weight
    }

    @inline(__always)
    func value(_ index: Int, of columns: UnsafeBufferPointer<AxisSamples.Sample>, _ channel: Int) -> UInt8 {
        let column = columns[index]
        let bits = AxisSamples.weightBits
        let (left, right) = (column.first &+ channel, column.second &+ channel)
        let (aboveLeft, aboveRight) = (Int32(first[left]), Int32(first[right]))
        let (belowLeft, belowRight) = (Int32(second[left]), Int32(second[right]))
        let above = (aboveLeft &<< bits) &+ (aboveRight &- aboveLeft) &* column.weight
        let below = (belowLeft &<< bits) &+ (belowRight &- belowLeft) &* column.weight
        let sum = (above &<< bits) &+ (below &- above) &* weight
        return UInt8(truncatingIfNeeded: (sum &+ (1 &<< (2 &* bits &- 1))) &>> (2 &* bits))
    }
}

/// First mixes the two rows, which compiles to vector instructions, then two neighbors for each value.
struct BlendedRow: SampledRow {
    private let values: UnsafePointer<UInt16>

    /// - Parameters:
    ///   - count: The number of bytes to mix.
    ///   - scratch: Room for as many values. They must not change while this row is in use.
    init(
        _ plane: UnsafePointer<UInt8>,
        _ row: AxisSamples.Sample,
        count: Int,
        scratch: UnsafeMutablePointer<UInt16>
    ) {
        let (first, second) = (plane + row.first, plane + row.second)
        let weight = UInt16(truncatingIfNeeded: row.weight)
        let rest = (1 &<< UInt16(AxisSamples.weightBits)) &- weight
        for index in 0..<count {
            // At most 255 × 2^8.
            scratch[index] = UInt16(first[index]) &* rest &+ UInt16(second[index]) &* weight
        }
        values = UnsafePointer(scratch)
    }

    @inline(__always)
    func value(_ index: Int, of columns: UnsafeBufferPointer<AxisSamples.Sample>, _ channel: Int) -> UInt8 {
        let column = columns[index]
        let bits = AxisSamples.weightBits
        let (left, right) = (Int32(values[column.first &+ channel]), Int32(values[column.second &+ channel]))
        let sum = (left &<< bits) &+ (right &- left) &* column.weight
        return UInt8(truncatingIfNeeded: (sum &+ (1 &<< (2 &* bits &- 1))) &>> (2 &* bits))
    }
}
