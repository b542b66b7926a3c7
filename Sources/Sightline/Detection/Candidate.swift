/// A box as a detector head gives it, before it is brought into the picture.
///
/// Edges are fractions of the model's input: 0 at the left and top, 1 at the right and bottom.
struct Candidate: Sendable, Hashable {
    var left: Float
    var top: Float
    var right: Float
    var bottom: Float
    var score: Float
    var classIndex: Int

    var area: Float { max(right - left, 0) * max(bottom - top, 0) }

    /// Whether every number is finite; hostile models give others.
    var isFinite: Bool { left.isFinite && top.isFinite && right.isFinite && bottom.isFinite && score.isFinite }

    /// Intersection over union, 0…1.
    func iou(_ other: Candidate) -> Float {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        guard width > 0, height > 0 else { return 0 }
        let shared = width * height
        return shared / (area + other.area - shared)
    }
}

/// Non-maximum suppression.
enum NonMaximumSuppression {
    /// More candidates than this are never compared: the most confident are kept first.
    static let maximumCandidates = 3000

    /// Keeps, of boxes of one class that overlap by more than `iouThreshold`, the most confident.
    ///
    /// - Returns: the kept boxes, the most confident first.
    /// - Complexity: O(n · k) for n candidates of which k are kept.
    static func suppress(
        _ candidates: [Candidate],
        iouThreshold: Float,
        maximumCount: Int = .max
    ) -> [Candidate] {
        let ordered = candidates.sorted { $0.score > $1.score }.prefix(maximumCandidates)
        var kept: [Candidate] = []
        for candidate in ordered {
            if kept.count == maximumCount { break }
            let isCovered = kept.contains {
                $0.classIndex == candidate.classIndex && $0.iou(candidate) > iouThreshold
            }
            if !isCovered { kept.append(candidate) }
        }
        return kept
    }
}
