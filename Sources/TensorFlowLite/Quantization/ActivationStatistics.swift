/// The values of a tensor over the calibration pictures: their limits, a histogram, and the mean of each channel.
///
/// The limits are exact, and contain 0. The histogram and the means are those of a regular sample, so that a picture costs at most a fixed time.
struct ActivationStatistics {
    private(set) var least: Float = 0
    private(set) var greatest: Float = 0
    /// The counts of equal parts of −`reach`…`reach`.
    private(set) var counts = [UInt32](repeating: 0, count: Self.binCount)
    private(set) var reach: Float = 0
    /// The sums of the last dimension's channels, and the number of the values that each sums up.
    private var sums: [Double]
    /// The largest magnitude of each of these channels.
    private(set) var peaks: [Float]
    private var rows = 0
    private var pictures = 0

    static let binCount = 4096
    /// The inverse of a smaller reach is not finite.
    private static let leastReach: Float = 1e-30
    /// About so many values of a picture enter the histogram.
    private static let sampleSize = 1 << 15

    /// - Parameter channels: The size of the tensor's last dimension.
    init(channels: Int) {
        sums = [Double](repeating: 0, count: channels)
        peaks = [Float](repeating: 0, count: channels)
    }

    var isEmpty: Bool { pictures == 0 }

    /// The mean of each channel.
    var means: [Double] { sums.map { $0 / Double(max(rows, 1)) } }

    /// Adds the values of a picture. Values that are not finite do not count.
    ///
    /// Unsafe but sound: every index is below the buffer's count.
    mutating func add(_ values: UnsafeBufferPointer<Float>) {
        let channels = sums.count
        guard channels > 0, values.count >= channels else { return }
        extend(to: values)
        guard reach > 0 else {
            rows += 1
            pictures += 1
            return
        }
        let rowCount = values.count / channels
        let step = max(values.count / Self.sampleSize, 1)
        let factor = Float(Self.binCount / 2) / reach
        let middle = Float(Self.binCount / 2)
        // Each picture begins at another row, so that all places enter the sample.
        var row = pictures % min(step, rowCount)
        counts.withUnsafeMutableBufferPointer { counts in
            sums.withUnsafeMutableBufferPointer { sums in
                peaks.withUnsafeMutableBufferPointer { peaks in
                    while row < rowCount {
                        let start = row * channels
                        for channel in 0..<channels {
                            let value = values[start + channel]
                            guard value.isFinite else { continue }
                            sums[channel] += Double(value)
                            peaks[channel] = max(peaks[channel], abs(value))
                            let place = min(max(value * factor + middle, 0), Float(Self.binCount - 1))
                            counts[Int(place)] &+= 1
                        }
                        rows += 1
                        row += step
                    }
                }
            }
        }
        pictures += 1
    }

    /// Extends the limits, and doubles the reach of the histogram until it contains them.
    private mutating func extend(to values: UnsafeBufferPointer<Float>) {
        var (low, high) = (SIMD16<Float>(repeating: 0), SIMD16<Float>(repeating: 0))
        let whole = values.count / 16 * 16
        let bytes = UnsafeRawBufferPointer(values)
        for place in stride(from: 0, to: whole, by: 16) {
            let part = bytes.loadUnaligned(fromByteOffset: 4 * place, as: SIMD16<Float>.self)
            low = pointwiseMin(low, part)
            high = pointwiseMax(high, part)
        }
        // The minimum of NaN and a number may be either of them.
        let isFinite = low.min().isFinite && high.max().isFinite
        if isFinite {
            least = min(least, low.min())
            greatest = max(greatest, high.max())
        }
        for value in isFinite ? values[whole...] : values[...] where value.isFinite {
            least = min(least, value)
            greatest = max(greatest, value)
        }
        let largest = max(-least, greatest)
        guard largest.isFinite, largest > 0 else { return }
        if reach == 0 { reach = max(largest, Self.leastReach) }
        while reach < largest {
            var merged = [UInt32](repeating: 0, count: Self.binCount)
            let quarter = Self.binCount / 4
            for bin in 0..<Self.binCount / 2 { merged[quarter + bin] = counts[2 * bin] &+ counts[2 * bin + 1] }
            counts = merged
            reach = reach > .greatestFiniteMagnitude / 2 ? .greatestFiniteMagnitude : 2 * reach
        }
    }

    /// The value in the middle of a part of the histogram.
    func center(_ bin: Int) -> Float {
        (Float(bin) + 0.5 - Float(Self.binCount / 2)) * (reach / Float(Self.binCount / 2))
    }
}
