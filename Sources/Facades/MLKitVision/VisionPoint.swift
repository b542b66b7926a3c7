public import Foundation

/// A point in a picture, such as an eye of a face. (`MLKVisionPoint`)
#if canImport(ObjectiveC)
    @objc(MLKVisionPoint) @objcMembers
#endif
public class VisionPoint: NSObject, @unchecked Sendable {
    // Sendable, because it never changes: its properties are constants of value types, only the module can subclass it, and its
    // single subclass adds one more such constant.

    /// The distance from the left edge, in pixels of the upright picture.
    public let x: CGFloat
    /// The distance from the top edge, in pixels of the upright picture.
    public let y: CGFloat

    package init(x: CGFloat, y: CGFloat) {
        (self.x, self.y) = (x, y)
    }
}

/// A point in a picture with a depth, such as a joint of a body. (`MLKVision3DPoint`)
#if canImport(ObjectiveC)
    @objc(MLKVision3DPoint) @objcMembers
#endif
public final class Vision3DPoint: VisionPoint, @unchecked Sendable {
    /// The depth; 0 where the model gives none.
    public let z: CGFloat

    package init(x: CGFloat, y: CGFloat, z: CGFloat) {
        self.z = z
        super.init(x: x, y: y)
    }
}
