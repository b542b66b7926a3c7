/// Compares the confidences of answers with the share of right answers.
struct Calibration {
    private struct Bin {
        var count = 0
        var right = 0
        var confidence = 0.0
    }

    private static let binCount = 15
    private var sums = [Bin](repeating: Bin(), count: binCount)

    /// Counts an answer.
    mutating func add(_ confidence: Float, isRight: Bool) {
        let value = confidence >= 0 ? min(Double(confidence), 1) : 0
        let index = min(Int(value * Double(Self.binCount)), Self.binCount - 1)
        sums[index].count += 1
        sums[index].right += isRight ? 1 : 0
        sums[index].confidence += value
    }

    /// The bins with answers.
    var bins: [LabelReport.CalibrationBin] {
        sums.enumerated().filter { $0.element.count > 0 }.map { index, bin in
            LabelReport.CalibrationBin(
                lower: Double(index) / Double(Self.binCount),
                upper: Double(index + 1) / Double(Self.binCount),
                count: bin.count,
                confidence: bin.confidence / Double(bin.count),
                accuracy: Double(bin.right) / Double(bin.count)
            )
        }
    }

    /// The expected calibration error; nil if there are no answers.
    var error: Double? {
        let total = sums.reduce(0) { $0 + $1.count }
        guard total > 0 else { return nil }
        return bins.reduce(0) { $0 + Double($1.count) / Double(total) * abs($1.confidence - $1.accuracy) }
    }
}
