/// Non-maximum suppression.
enum NonMaximumSuppression {
    /// The largest number of candidates that are compared; those of lower rank are dropped.
    static let maximumCandidates = 3000
    /// The IoU where neither the caller nor the model gives one.
    static let usualThreshold: Float = 0.5

    /// Keeps only the highest-ranked of the boxes that overlap by more than `iouThreshold`.
    ///
    /// - Parameters:
    ///   - acrossClasses: whether boxes of different classes suppress each other.
    ///   - insideShare: two boxes of one class, one of them from the overview, are one thing too if so great a share of the smaller lies
    ///     inside the other; nil where only the IoU counts.
    /// - Returns: the kept boxes, the highest-ranked first.
    /// - Complexity: O(n · k) for n candidates of which k are kept.
    static func suppress(
        _ candidates: [Candidate],
        iouThreshold: Float,
        acrossClasses: Bool = false,
        insideShare: Float? = nil,
        maximumCount: Int = .max
    ) -> [Candidate] {
        let ordered = candidates.sorted { $0.rank > $1.rank }.prefix(maximumCandidates)
        var kept: [Candidate] = []
        for candidate in ordered {
            if kept.count == maximumCount { break }
            let isCovered = kept.contains {
                let haveOneClass = $0.classIndex == candidate.classIndex
                if (acrossClasses || haveOneClass) && $0.iou(candidate) > iouThreshold { return true }
                guard let insideShare, haveOneClass, $0.isFromOverview != candidate.isFromOverview else { return false }
                return $0.intersectionOverSmaller(candidate) >= insideShare
            }
            if !isCovered { kept.append(candidate) }
        }
        return kept
    }
}
