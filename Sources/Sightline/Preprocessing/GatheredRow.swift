/// Reads only the neighbors of each value, and computes a row's values together, which compiles to vector instructions.
///
/// For planes of one byte a sample, along whose rows the tensor's rows run. The values are the same as those of `DirectRow`.
///
/// Unsafe code: an offset of `SamplePairs` is that of a column's first or second sample, of which `TensorWriter` has the proof that it
/// lies in the plane, and so does its neighbor. The scratch has the room that `init` asks for.
struct GatheredRow: SampledRow {
    private let values: UnsafePointer<UInt8>

    /// The 16-bit numbers that a row of so many values needs: two pairs of bytes and the value.
    static func scratchCount(_ values: Int) -> Int { 3 * values }

    /// - Parameter scratch: Room for `scratchCount` numbers. They must not change while this row is in use.
    init(
        _ plane: UnsafePointer<UInt8>,
        _ row: AxisSamples.Sample,
        _ pairs: SamplePairs,
        scratch: UnsafeMutablePointer<UInt16>
    ) {
        let count = pairs.offsets.count
        let (above, below) = (scratch, scratch + count)
        let out = UnsafeMutableRawPointer(scratch + 2 * count).assumingMemoryBound(to: UInt8.self)
        let (first, second) = (UnsafeRawPointer(plane + row.first), UnsafeRawPointer(plane + row.second))
        pairs.offsets.withUnsafeBufferPointer { offsets in
            for index in 0..<count {
                let offset = Int(offsets[index])
                above[index] = UInt16(littleEndian: first.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
                below[index] = UInt16(littleEndian: second.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            }
        }
        let one = UInt16(1) &<< UInt16(AxisSamples.weightBits)
        let belowWeight = UInt16(truncatingIfNeeded: row.weight)
        let aboveWeight = one &- belowWeight
        pairs.weights.withUnsafeBufferPointer { weights in
            for index in 0..<count {
                let right = weights[index]
                let left = one &- right
                // At most 255 × 2^8 each.
                let upper = (above[index] & 255) &* left &+ (above[index] &>> 8) &* right
                let lower = (below[index] & 255) &* left &+ (below[index] &>> 8) &* right
                let sum = UInt32(upper) &* UInt32(aboveWeight) &+ UInt32(lower) &* UInt32(belowWeight)
                out[index] = UInt8(truncatingIfNeeded: (sum &+ 32768) &>> 16)
            }
        }
        values = UnsafePointer(out)
    }

    @inline(__always)
    func value(_ index: Int, of columns: UnsafeBufferPointer<AxisSamples.Sample>, _ channel: Int) -> UInt8 {
        values[index]
    }
}

/// The columns of a tensor as pairs of adjacent bytes of a plane's row.
struct SamplePairs {
    /// Where the pairs begin.
    let offsets: [Int32]
    /// The weights of the second bytes, in 1/256.
    let weights: [UInt16]

    /// - Returns: nil if a column's samples are not neighbors.
    init?(_ columns: [AxisSamples.Sample], sampleCount: Int) {
        guard sampleCount > 1, columns.allSatisfy({ $0.second == $0.first + 1 || $0.second == $0.first }) else {
            return nil
        }
        // The last sample has no neighbor after it: it is the second of the last pair.
        offsets = columns.map { Int32(clamping: $0.second - 1) }
        let one = UInt16(1) << UInt16(AxisSamples.weightBits)
        weights = columns.map { $0.second == $0.first ? one : UInt16(truncatingIfNeeded: $0.weight) }
    }
}
