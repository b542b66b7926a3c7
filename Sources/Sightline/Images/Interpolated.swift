/// A row of values between two rows (or, of a turned picture, columns) of a plane.
///
/// The caller sees to it that the offsets lie in the plane; `TensorWriter` says why they do.
struct Interpolated {
    private let first: UnsafePointer<UInt8>
    private let second: UnsafePointer<UInt8>
    private let weight: Int32

    init(_ plane: UnsafePointer<UInt8>, _ row: AxisSamples.Sample) {
        first = plane + row.first
        second = plane + row.second
        weight = row.weight
    }

    /// The value at a column: the four neighbours by their weights, rounded to 8 bits.
    ///
    /// No sum is rounded on the way, so that turning the picture changes nothing; 255 × 2^22 fits 32 bits.
    @inline(__always)
    func value(_ column: AxisSamples.Sample, _ channel: Int) -> UInt8 {
        let one = Int32(1) << AxisSamples.weightBits
        let above =
            Int32(first[column.first + channel]) &* (one &- column.weight)
            &+ Int32(first[column.second + channel]) &* column.weight
        let below =
            Int32(second[column.first + channel]) &* (one &- column.weight)
            &+ Int32(second[column.second + channel]) &* column.weight
        let sum = above &* (one &- weight) &+ below &* weight
        return UInt8(truncatingIfNeeded: (sum &+ one &* one / 2) >> (2 * AxisSamples.weightBits))
    }
}
