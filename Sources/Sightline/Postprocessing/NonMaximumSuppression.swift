/// Non-maximum suppression.
enum NonMaximumSuppression {
    /// The largest number of candidates that are compared; those of lower rank are dropped.
    static let maximumCandidates = 3000
    /// The IoU where neither the caller nor the model gives one.
    static let usualThreshold: Float = 0.5

    /// Keeps only the highest-ranked of the boxes that overlap by more than `iouThreshold`.
    ///
    /// - Parameter acrossClasses: whether boxes of different classes suppress each other.
    /// - Returns: the kept boxes, the highest-ranked first.
    /// - Complexity: O(n · k) for n candidates of which k are kept.
    static func suppress(
        _ candidates: [Candidate],
        iouThreshold: Float,
        acrossClasses: Bool = false,
        maximumCount: Int = .max
    ) -> [Candidate] {
        let ordered = candidates.sorted { $0.rank > $1.rank }.prefix(maximumCandidates)
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
