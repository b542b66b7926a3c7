public import Foundation

/// A point in a picture. (`MLKVisionPoint`)
///
/// Detectors and labelers return no points; the class exists for code that refers to it.
#if canImport(ObjectiveC)
    @objc(MLKVisionPoint) @objcMembers
#endif
public class VisionPoint: NSObject {
    /// The distance from the left edge, in pixels of the upright picture.
    public let x: CGFloat
    /// The distance from the top edge, in pixels of the upright picture.
    public let y: CGFloat

    package init(x: CGFloat, y: CGFloat) {
        (self.x, self.y) = (x, y)
    }
}

/// A point in a picture with a depth. (`MLKVision3DPoint`)
///
/// Detectors and labelers return no points; the class exists for code that refers to it.
#if canImport(ObjectiveC)
    @objc(MLKVision3DPoint) @objcMembers
#endif
public final class Vision3DPoint: VisionPoint {
    /// The depth.
    public let z: CGFloat

    package init(x: CGFloat, y: CGFloat, z: CGFloat) {
        self.z = z
        super.init(x: x, y: y)
    }
}
