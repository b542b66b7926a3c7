/// Non-maximum suppression.
enum NonMaximumSuppression {
    /// The largest number of candidates that are compared; less confident ones are dropped.
    static let maximumCandidates = 3000
    /// The IoU where neither the caller nor the model gives one.
    static let usualThreshold: Float = 0.5

    /// Keeps only the most confident of the boxes that overlap by more than `iouThreshold`.
    ///
    /// - Parameter acrossClasses: whether boxes of different classes suppress each other.
    /// - Returns: the kept boxes, the most confident first.
    /// - Complexity: O(n · k) for n candidates of which k are kept.
    static func suppress(
        _ candidates: [Candidate],
        iouThreshold: Float,
        acrossClasses: Bool = false,
        maximumCount: Int = .max
    ) -> [Candidate] {
        let ordered = candidates.sorted { $0.score > $1.score }.prefix(maximumCandidates)
        var kept: [Candidate] = []
        for candidate in ordered {
            if kept.count == maximumCount { break }
            let isCovered = kept.contains {
                (acrossClasses || $0.classIndex == candidate.classIndex) && $0.iou(candidate) > iouThreshold
            }
            if !isCovered { kept.append(candidate) }
        }
        return kept
    }
}
