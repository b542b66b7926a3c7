/// The size of a picture in whole pixels.
public struct PixelSize: Sendable, Hashable, Codable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// Creates a size from its two extents.
    @inlinable
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size after a quarter turn.
    @inlinable public var transposed: PixelSize { PixelSize(width: height, height: width) }
}
