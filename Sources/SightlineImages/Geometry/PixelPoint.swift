/// A point in pixels of the upright picture: origin at the top left, x to the right, y down.
public struct PixelPoint: Sendable, Hashable, Codable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a point from its coordinates.
    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
