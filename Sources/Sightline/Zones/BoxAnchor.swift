/// The point of a box that stands for the object in zones.
public enum BoxAnchor: String, Sendable, Hashable, Codable, CaseIterable {
    /// The middle of the lower edge: the point at which a person stands on the ground.
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
