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

    /// A rectangle by its top left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The rectangle of a whole picture.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }

    /// The right edge.
    public var maxX: Double { x + width }
    /// The bottom edge.
    public var maxY: Double { y + height }
    /// The horizontal centre.
    public var midX: Double { x + width / 2 }
    /// The vertical centre.
    public var midY: Double { y + height / 2 }
    /// Width × height, in square pixels; 0 for an empty rectangle.
    public var area: Double { isEmpty ? 0 : width * height }
    /// Whether the rectangle covers nothing. A NaN in any field makes it empty.
    public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// The part that both rectangles cover, or nil if they do not overlap.
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
    public func union(_ other: PixelRect) -> PixelRect {
        let left = min(x, other.x)
        let top = min(y, other.y)
        return PixelRect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// Intersection over union with another rectangle, 0…1.
    public func iou(_ other: PixelRect) -> Double {
        guard let shared = intersection(other)?.area else { return 0 }
        return shared / (area + other.area - shared)
    }
}

/// The size of a picture in whole pixels.
public struct PixelSize: Sendable, Hashable, Codable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A size by its two extents.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size after a quarter turn.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}
