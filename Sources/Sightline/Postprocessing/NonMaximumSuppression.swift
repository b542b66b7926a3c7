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

    /// Replaces boxes of one class that overlap by more than `iouThreshold` by their mean, weighted with their scores, which has the best of
    /// the scores: the suppression that MediaPipe calls weighted (V. Bazarevsky et al., "BlazeFace", 2019, section 3.4). It keeps boxes and
    /// points steady from frame to frame.
    ///
    /// - Returns: the means, the highest-ranked first.
    /// - Complexity: O(n · k) for n candidates that become k.
    static func average(
        _ candidates: [Candidate],
        iouThreshold: Float,
        acrossClasses: Bool = false
    ) -> [Candidate] {
        var rest = Array(candidates.sorted { $0.rank > $1.rank }.prefix(maximumCandidates))
        var means: [Candidate] = []
        while let best = rest.first {
            var (same, others): ([Candidate], [Candidate]) = ([], [])
            for candidate in rest.dropFirst() {
                let isSame = acrossClasses || candidate.classIndex == best.classIndex
                if isSame, best.iou(candidate) > iouThreshold {
                    same.append(candidate)
                } else {
                    others.append(candidate)
                }
            }
            means.append(same.isEmpty ? best : best.averaged(with: same))
            rest = others
        }
        return means
    }
}
