/// A part of a picture in whole pixels of the decoded scale.
struct DecodedPart {
    /// The extra pixels around a region that interpolation at its edges reads, at the decoded scale.
    static let margin = 2.0
    /// The share of a picture from which on decoding a part costs as much as decoding the whole.
    private static let worthwhileShare = 0.9

    let left: Int
    let top: Int
    let width: Int
    let height: Int

    /// Creates the part of a picture that covers a region and the margin around it.
    ///
    /// - Parameters:
    ///   - scaled: The size of the picture at the decoded scale.
    ///   - region: The needed region, in pixels of the stored picture.
    ///   - scale: The decoded scale.
    ///   - columnStep: A number that must divide the left edge.
    ///   - rowStep: A number that must divide the top edge.
    init(of scaled: PixelSize, _ region: PixelRect, scale: Double = 1, columnStep: Int = 1, rowStep: Int = 1) {
        let (left, right) = Self.range(region.x * scale, region.maxX * scale, limit: scaled.width, step: columnStep)
        let (top, bottom) = Self.range(region.y * scale, region.maxY * scale, limit: scaled.height, step: rowStep)
        let share = Double(right - left) / Double(scaled.width) * Double(bottom - top) / Double(scaled.height)
        guard share < Self.worthwhileShare else {
            (self.left, self.top, width, height) = (0, 0, scaled.width, scaled.height)
            return
        }
        (self.left, self.top, width, height) = (left, top, right - left, bottom - top)
    }

    private static func range(_ from: Double, _ to: Double, limit: Int, step: Int) -> (Int, Int) {
        // Clamped before they become integers, and never empty.
        let first = Int(max(min((from - margin).rounded(.down), Double(limit - 1)), 0))
        let end = Int(max(min((to + margin).rounded(.up), Double(limit)), 0))
        return (first - first % step, max(end, first + 1))
    }

    /// The part in pixels of the stored picture.
    func rect(scale: Double = 1) -> PixelRect {
        PixelRect(
            x: Double(left) / scale,
            y: Double(top) / scale,
            width: Double(width) / scale,
            height: Double(height) / scale
        )
    }
}
