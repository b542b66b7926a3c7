/// A rectangle in pixels of the upright picture: origin at the top left, x to the right, y down.
///
/// Coordinates are continuous: the pixel in the top left corner covers x 0…1, y 0…1.
public struct PixelRect: Sendable, Hashable, Codable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// The extent to the right.
    public var width: Double
    /// The extent downwards.
    public var height: Double

    /// Creates a rectangle from its top left corner and its size.
    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the rectangle of a whole picture.
    @inlinable
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }

    /// The right edge.
    @inlinable public var maxX: Double { x + width }
    /// The bottom edge.
    @inlinable public var maxY: Double { y + height }
    /// The horizontal center.
    @inlinable public var midX: Double { x + width / 2 }
    /// The vertical center.
    @inlinable public var midY: Double { y + height / 2 }
    /// Width × height, in square pixels; 0 for an empty rectangle.
    @inlinable public var area: Double { isEmpty ? 0 : width * height }
    /// Whether the rectangle covers nothing. A NaN in any field makes it empty.
    @inlinable public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// The part that both rectangles cover, or nil if they do not overlap.
    @inlinable
    public func intersection(_ other: PixelRect) -> PixelRect? {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let rect = PixelRect(
            x: left,
            y: top,
            width: min(maxX, other.maxX) - left,
            height: min(maxY, other.maxY) - top
        )
        return rect.isEmpty ? nil : rect
    }

    /// The smallest rectangle that covers both.
    @inlinable
    public func union(_ other: PixelRect) -> PixelRect {
        let left = min(x, other.x)
        let top = min(y, other.y)
        return PixelRect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// The intersection over union with another rectangle, 0…1.
    @inlinable
    public func iou(_ other: PixelRect) -> Double {
        guard let shared = intersection(other)?.area else { return 0 }
        return shared / (area + other.area - shared)
    }
}
