/// A point in pixels of the upright picture: origin at the top left, x to the right, y down.
public struct PixelPoint: Sendable, Hashable, Codable {
    /// How far to the right.
    public var x: Double
    /// How far down.
    public var y: Double

    /// A point by its coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// The point of a box that stands for the object in zones.
public enum BoxAnchor: String, Sendable, Hashable, Codable, CaseIterable {
    /// The middle of the lower edge: where somebody stands on the ground.
    case bottomCenter
    /// The middle of the box: for cameras that look straight down.
    case center

    /// The point of a box.
    public func point(of box: PixelRect) -> PixelPoint {
        switch self {
        case .bottomCenter: PixelPoint(x: box.midX, y: box.maxY)
        case .center: PixelPoint(x: box.midX, y: box.midY)
        }
    }
}
