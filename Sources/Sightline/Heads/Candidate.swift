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

    /// Where the outputs have the object, for ``DetectorHead/masks(of:_:values:)``; nil where they have no mask.
    var row: Int?

    /// The rank of the box: of boxes that overlap, the one that is surer of its object and of its class is kept.
    var rank: Float { score * (classScore ?? 1) }

    var area: Float { max(right - left, 0) * max(bottom - top, 0) }

    /// Whether every number is finite; hostile models give others.
    var isFinite: Bool { left.isFinite && top.isFinite && right.isFinite && bottom.isFinite && score.isFinite }

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
