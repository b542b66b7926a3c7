/// A box that a detector head reads, before suppression and before it is brought into the picture.
///
/// Edges are fractions of the model's input: 0 at the left and top, 1 at the right and bottom.
struct Candidate: Sendable, Hashable {
    var left: Float
    var top: Float
    var right: Float
    var bottom: Float
    /// The confidence that the box holds an object.
    var score: Float
    var classIndex: Int
    /// The confidence of the class, where the model gives one apart from the score.
    var classScore: Float?
    /// Whether it comes from the model's second look, at the overview of the picture.
    var isFromOverview = false
    /// The named points of the object; nil where the model gives none.
    var points: [CandidatePoint]?

    /// Where the outputs have the object, for ``DetectorHead/masks(of:_:values:)``; nil where they have no mask.
    var row: Int?

    /// The rank of the box: of boxes that overlap, the one that is surer of its object and of its class is kept.
    var rank: Float { score * (classScore ?? 1) }

    var area: Float { max(right - left, 0) * max(bottom - top, 0) }

    /// Whether every number is finite; hostile models give others.
    var isFinite: Bool { left.isFinite && top.isFinite && right.isFinite && bottom.isFinite && score.isFinite }

    /// The mean of boxes and of their points, weighted with their scores; everything else is this box's.
    ///
    /// - Parameter others: boxes with as many points as this one.
    func averaged(with others: [Candidate]) -> Candidate {
        let all = [self] + others
        let total = all.reduce(0) { $0 + $1.score }
        guard total > 0 else { return self }
        func mean(_ value: (Candidate) -> Float) -> Float { all.reduce(0) { $0 + value($1) * $1.score } / total }
        var result = self
        (result.left, result.top) = (mean(\.left), mean(\.top))
        (result.right, result.bottom) = (mean(\.right), mean(\.bottom))
        guard let points, all.allSatisfy({ $0.points?.count == points.count }) else { return result }
        for index in points.indices {
            result.points?[index].x = mean { $0.points?[index].x ?? 0 }
            result.points?[index].y = mean { $0.points?[index].y ?? 0 }
        }
        return result
    }

    /// The area that two boxes share.
    private func shared(with other: Candidate) -> Float {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        return width > 0 && height > 0 ? width * height : 0
    }

    /// Intersection over union, 0…1.
    func iou(_ other: Candidate) -> Float {
        let shared = shared(with: other)
        return shared > 0 ? shared / (area + other.area - shared) : 0
    }

    /// The intersection over the area of the smaller box, 0…1: 1 if a box contains the other.
    func intersectionOverSmaller(_ other: Candidate) -> Float {
        let shared = shared(with: other)
        return shared > 0 ? shared / min(area, other.area) : 0
    }
}

/// A named point of a ``Candidate``, in fractions of the model's input.
struct CandidatePoint: Sendable, Hashable {
    let name: ObjectPoint.Name
    var x: Float
    var y: Float
    /// The confidence that the point is there; nil where the model gives none.
    var confidence: Float?
}
