import Foundation

/// The place of a picture, and of its objects, in a view.
///
/// ```swift
/// let fit = PictureFit(result.size, in: view.bounds.size, scaling: .fill)
/// let box = fit.rect(of: object.frame)   // in the view's points
/// ```
///
/// Coordinates of the picture are pixels of the upright picture. Coordinates of the view have their origin at the top left, as those of
/// UIKit and SwiftUI have.
public struct PictureFit: Sendable, Hashable {
    /// The size of the picture in the view. The picture keeps its proportions and its center is that of the view.
    public enum Scaling: Sendable, Hashable {
        /// The whole picture is visible; the view may have margins (`scaledToFit`, `resizeAspect`).
        case fit
        /// The picture covers the view; its edges may be cut off (`scaledToFill`, `resizeAspectFill`).
        case fill
    }

    /// Points of the view for each pixel of the picture.
    public let scale: Double
    private let left: Double
    private let top: Double

    /// Creates the mapping from a picture to a view.
    ///
    /// - Parameters:
    ///   - picture: The size of the upright picture.
    ///   - view: The size of the view in points.
    ///   - scaling: The way in which the view shows the picture.
    public init(_ picture: PixelSize, in view: CGSize, scaling: Scaling = .fit) {
        let (width, height) = (Double(max(picture.width, 1)), Double(max(picture.height, 1)))
        let (across, down) = (Double(view.width) / width, Double(view.height) / height)
        scale = scaling == .fit ? min(across, down) : max(across, down)
        left = (Double(view.width) - width * scale) / 2
        top = (Double(view.height) - height * scale) / 2
    }

    /// The place of a rectangle of the picture in the view.
    public func rect(of frame: PixelRect) -> CGRect {
        CGRect(
            x: left + frame.x * scale,
            y: top + frame.y * scale,
            width: frame.width * scale,
            height: frame.height * scale
        )
    }

    /// The pixel of the picture below a point of the view, for example a tap. It may lie outside the picture.
    public func pixel(at point: CGPoint) -> PixelPoint {
        PixelPoint(x: (Double(point.x) - left) / scale, y: (Double(point.y) - top) / scale)
    }
}
