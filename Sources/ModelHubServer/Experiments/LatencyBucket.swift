import Foundation

/// The histogram buckets of latencies: bucket i begins at 0.1 ms · 2^(i/8), so a percentile has an error of at most 4.5
/// %. The last bucket contains everything above 96 s.
enum LatencyBucket {
    static let count = 160
    private static let start = 0.1
    private static let perDoubling = 8.0

    /// The middle of a bucket in milliseconds.
    static func middle(_ bucket: Int) -> Double { start * exp2((Double(bucket) + 0.5) / perDoubling) }

    /// The given percentile of a histogram in milliseconds; nil if the histogram is empty.
    static func percentile(_ part: Double, of histogram: [Int: Int]) -> Double? {
        let total = histogram.values.reduce(0) { $0 + Double($1) }
        guard total > 0 else { return nil }
        var sum = 0.0
        for (bucket, count) in histogram.sorted(by: { $0.key < $1.key }) {
            sum += Double(count)
            if sum >= part * total { return middle(bucket) }
        }
        return nil
    }
}
