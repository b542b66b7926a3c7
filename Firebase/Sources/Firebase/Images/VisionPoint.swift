import Foundation

/// A point in a picture, in pixels of the upright picture.
///
/// Detectors and labelers return no points; the class exists for code that refers to it.
#if canImport(ObjectiveC)
    @objc(FIRVisionPoint) @objcMembers
#endif
public final class VisionPoint: NSObject, Sendable {
    private let coordinates: (x: Double, y: Double, z: Double?)

    /// The distance from the left edge.
    public var x: NSNumber { NSNumber(value: coordinates.x) }
    /// The distance from the top edge.
    public var y: NSNumber { NSNumber(value: coordinates.y) }
    /// The depth; nil for a point in the plane of the picture.
    public var z: NSNumber? { coordinates.z.map { NSNumber(value: $0) } }

    package init(x: Double, y: Double, z: Double? = nil) { coordinates = (x, y, z) }
}
