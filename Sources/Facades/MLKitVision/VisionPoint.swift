public import Foundation

/// A point of a picture. (`MLKVisionPoint`)
///
/// Neither detectors nor labelers give points; the class is here for code that names it.
public class VisionPoint: NSObject {
    /// From the left, in pixels of the upright picture.
    public let x: CGFloat
    /// From the top, in pixels of the upright picture.
    public let y: CGFloat

    package init(x: CGFloat, y: CGFloat) {
        (self.x, self.y) = (x, y)
    }
}

/// A point of a picture with a depth. (`MLKVision3DPoint`)
///
/// Neither detectors nor labelers give points; the class is here for code that names it.
public final class Vision3DPoint: VisionPoint {
    /// The depth.
    public let z: CGFloat

    package init(x: CGFloat, y: CGFloat, z: CGFloat) {
        self.z = z
        super.init(x: x, y: y)
    }
}
