/// The similarity of an expected box and a detected box, 0…1.
enum BoxSimilarity {
    /// The overlap of two boxes, times the share of their heights that both have.
    ///
    /// Boxes of people who stand at the same depth have the same height, so that heights tell apart people who cover
    /// each other (height-modulated IoU: M. Yang and others, "Hybrid-SORT: Weak Cues Matter for Online Multi-Object Tracking",
    /// AAAI 2024). Both boxes are grown by a share of their size on each side, so that small and fast objects that
    /// do not overlap from frame to frame are similar as well (F. Yang and others, "Hard to Track Objects with Irregular Motions
    /// and Similar Appearances? Make It Easier by Buffering the Matching Space", WACV 2023).
    static func of(_ grown: PixelRect, _ box: PixelRect, margin: Double) -> Double {
        let other = box.grown(by: margin)
        let bottom = min(grown.maxY, other.maxY)
        let top = max(grown.y, other.y)
        guard bottom > top else { return 0 }
        let height = (bottom - top) / (max(grown.maxY, other.maxY) - min(grown.y, other.y))
        return grown.iou(other) * height
    }
}

extension PixelRect {
    /// The rectangle with a margin of a share of its size on each side.
    func grown(by share: Double) -> PixelRect {
        PixelRect(
            x: x - width * share,
            y: y - height * share,
            width: width * (1 + 2 * share),
            height: height * (1 + 2 * share)
        )
    }
}
