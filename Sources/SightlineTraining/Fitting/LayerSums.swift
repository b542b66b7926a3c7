/// Products of feature rows and weights, in a fixed order of additions.
///
/// Unsafe but sound: the pointers are those of arrays whose sizes the callers check with a precondition, and live within one closure.
enum LayerSums {
    /// weights · row + bias for each row and label.
    ///
    /// - Parameters:
    ///   - weights: `stride` eights for each label.
    ///   - rows: The rows to multiply.
    /// - Returns: The sums of each row in turn.
    static func sums(
        _ matrix: FeatureMatrix,
        _ rows: [Int],
        weights: [SIMD8<Float>],
        bias: [Float]
    ) -> [Float] {
        let (stride, labels) = (matrix.stride, bias.count)
        precondition(weights.count == stride * labels && rows.allSatisfy { (0..<matrix.rowCount).contains($0) })
        var sums = [Float](repeating: 0, count: rows.count * labels)
        matrix.values.withUnsafeBufferPointer { values in
            weights.withUnsafeBufferPointer { weights in
                var position = 0
                while position < rows.count {
                    // Four rows at a time share each weight that is loaded.
                    let count = min(4, rows.count - position)
                    let places = (0..<4).map { rows[position + min($0, count - 1)] * stride }
                    let (one, two, three, four) = (places[0], places[1], places[2], places[3])
                    for label in 0..<labels {
                        let start = label * stride
                        var (a, b, c, d) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
                        for eight in 0..<stride {
                            let weight = weights[start + eight]
                            a += values[one + eight] * weight
                            b += values[two + eight] * weight
                            c += values[three + eight] * weight
                            d += values[four + eight] * weight
                        }
                        let found = (a.sum(), b.sum(), c.sum(), d.sum())
                        sums[position * labels + label] = found.0 + bias[label]
                        if count > 1 { sums[(position + 1) * labels + label] = found.1 + bias[label] }
                        if count > 2 { sums[(position + 2) * labels + label] = found.2 + bias[label] }
                        if count > 3 { sums[(position + 3) * labels + label] = found.3 + bias[label] }
                    }
                    position += count
                }
            }
        }
        return sums
    }

    /// The sum of all rows, each times its factor for a label, for each label.
    ///
    /// - Parameter factors: A factor for each label, for each row in turn.
    /// - Returns: `stride` eights for each label.
    static func combination(
        _ matrix: FeatureMatrix,
        _ rows: [Int],
        factors: [Float],
        labels: Int
    ) -> [SIMD8<Float>] {
        let stride = matrix.stride
        precondition(factors.count == rows.count * labels && rows.allSatisfy { (0..<matrix.rowCount).contains($0) })
        var result = [SIMD8<Float>](repeating: SIMD8(), count: stride * labels)
        matrix.values.withUnsafeBufferPointer { values in
            result.withUnsafeMutableBufferPointer { result in
                var position = 0
                while position < rows.count {
                    let count = min(4, rows.count - position)
                    let places = (0..<4).map { rows[position + min($0, count - 1)] * stride }
                    let (one, two, three, four) = (places[0], places[1], places[2], places[3])
                    for label in 0..<labels {
                        func factor(_ row: Int) -> Float {
                            row < count ? factors[(position + row) * labels + label] : 0
                        }
                        let (a, b, c, d) = (factor(0), factor(1), factor(2), factor(3))
                        let start = label * stride
                        for eight in 0..<stride {
                            let left = values[one + eight] * a + values[two + eight] * b
                            let right = values[three + eight] * c + values[four + eight] * d
                            result[start + eight] += left + right
                        }
                    }
                    position += count
                }
            }
        }
        return result
    }
}
