import Foundation

/// A point in a picture, in pixels of the upright picture.
///
/// Neither detectors nor labelers give points; the class is here for code that names it.
public final class VisionPoint: NSObject, Sendable {
    private let coordinates: (x: Double, y: Double, z: Double?)

    /// To the right.
    public var x: NSNumber { NSNumber(value: coordinates.x) }
    /// Downwards.
    public var y: NSNumber { NSNumber(value: coordinates.y) }
    /// Into the picture; nil for a point that lies in it.
    public var z: NSNumber? { coordinates.z.map { NSNumber(value: $0) } }

    package init(x: Double, y: Double, z: Double? = nil) { coordinates = (x, y, z) }
}
