import Foundation

/// Geometry of boxes that are turned around their centers.
enum OrientedBox {
    /// The size of the upright rectangle around a turned rectangle.
    ///
    /// - Parameters:
    ///   - width: the width before the rotation.
    ///   - height: the height before the rotation.
    ///   - angle: the rotation in radians.
    ///   - size: the size of the input if width and height are fractions of it, since angles hold in pixels; nil if they are
    ///     pixels.
    static func uprightSize(
        _ width: Float,
        _ height: Float,
        angle: Float,
        in size: PixelSize?
    ) -> (width: Float, height: Float) {
        let ratio = size.map { Float($0.width) / Float($0.height) } ?? 1
        let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
        return (width * cosine + height * sine / ratio, width * sine * ratio + height * cosine)
    }
}
