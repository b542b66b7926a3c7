import Foundation
import Sightline

/// Small pictures for reports, inside the page.
enum Thumbnail {
    private static let quality = 76

    /// The picture as a `data:` address of a JPEG with at most `side` pixels per side; nil if it cannot be decoded.
    static func address(_ image: VisionImage, side: Int) -> HTML? {
        let size = image.size
        guard size.width > 0, size.height > 0 else { return nil }
        let scale = min(Double(side) / Double(max(size.width, size.height)), 1)
        let small = PixelSize(
            width: max(Int((Double(size.width) * scale).rounded()), 1),
            height: max(Int((Double(size.height) * scale).rounded()), 1)
        )
        guard let pixels = try? image.upright(in: small),
            let data = try? pixels.encoded(as: .jpeg, quality: quality)
        else { return nil }
        return "data:image/jpeg;base64,\(data.base64EncodedString())"
    }
}
