import Foundation

/// The motion of the picture from the previous frame to this one because the camera moved: a similarity.
///
/// A point (x, y) of the previous frame lies at (scale · (x cos r − y sin r) + translationX,
/// scale · (x sin r + y cos r) + translationY) of this frame, in pixels of the upright picture; r is the rotation.
public struct CameraMotion: Sendable, Hashable {
    /// The motion of the picture to the right, in pixels.
    public var translationX: Double
    /// The motion of the picture downward, in pixels.
    public var translationY: Double
    /// The factor by which the picture became larger about its origin; 1 for no change.
    public var scale: Double
    /// The angle by which the picture turned about its origin, in radians, clockwise as seen.
    public var rotation: Double

    /// Creates a motion.
    public init(translationX: Double, translationY: Double, scale: Double = 1, rotation: Double = 0) {
        self.translationX = translationX
        self.translationY = translationY
        self.scale = scale
        self.rotation = rotation
    }

    /// The motion of a camera that stands still.
    public static let none = CameraMotion(translationX: 0, translationY: 0)

    /// The place in this frame of a point of the previous frame.
    public func applied(toX x: Double, y: Double) -> (x: Double, y: Double) {
        let turned = turned(x: x, y: y)
        return (turned.x + translationX, turned.y + translationY)
    }

    /// A vector of the previous frame, turned and scaled.
    func turned(x: Double, y: Double) -> (x: Double, y: Double) {
        let cosine = scale * cos(rotation)
        let sine = scale * sin(rotation)
        return (x * cosine - y * sine, x * sine + y * cosine)
    }

    /// Whether a camera can cause the motion: it is finite, and scales no more than tenfold from one frame to the next.
    var isUsable: Bool {
        translationX.isFinite && translationY.isFinite && rotation.isFinite && scale >= 0.1 && scale <= 10
    }
}
