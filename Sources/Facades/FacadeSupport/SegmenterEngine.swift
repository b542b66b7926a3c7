import Sightline

/// The confidence that each place of a picture shows the foreground.
public struct ForegroundMask: Sendable, Hashable {
    /// The number of columns.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The confidences, 0…1, row by row from the top left corner of the upright picture.
    public let confidences: [Float]
}

/// The Sightline segmenter behind the facades' segmenter. The first picture loads its model.
public final class SegmenterEngine: Sendable {
    private let segmenter: OnFirstUse<ForegroundSegmenter>
    private let isRaw: Bool

    /// Creates a segmenter.
    ///
    /// - Parameters:
    ///   - model: The model that gives the probability of the foreground.
    ///   - isRaw: Whether masks have the size of the model's output instead of the picture's.
    public init(model: ModelSource, isRaw: Bool) {
        self.isRaw = isRaw
        segmenter = OnFirstUse { try ForegroundSegmenter(model.model()) }
    }

    /// The mask of a picture.
    public func mask(of image: VisionImage) throws -> ForegroundMask {
        let map = try segmenter.use { try $0.map(of: image, isRaw: isRaw) }
        return ForegroundMask(width: map.size.width, height: map.size.height, confidences: map.values)
    }
}
