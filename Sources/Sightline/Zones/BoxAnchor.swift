/// The point of an object that stands for it in zones.
public enum BoxAnchor: String, Sendable, Hashable, Codable, CaseIterable {
    /// The middle of the lower edge: the point at which a person stands on the ground.
    case bottomCenter
    /// The middle of the box: for cameras that look straight down.
    case center
    /// The mean of the confident ankles, if the model gives points of bodies and the object has such a point; otherwise the middle of the
    /// lower edge.
    case feet

    /// The point of a box.
    public func point(of box: PixelRect) -> PixelPoint {
        switch self {
        case .bottomCenter, .feet: PixelPoint(x: box.midX, y: box.maxY)
        case .center: PixelPoint(x: box.midX, y: box.midY)
        }
    }

    /// The point of an object: of its own points where the anchor asks for them, otherwise of its box.
    public func point(of object: DetectedObject) -> PixelPoint {
        ownPoint(of: object) ?? point(of: object.frame)
    }

    /// The point of an object where it was seen first; nil if its box there says something else than the points that it has now.
    func firstPoint(of object: DetectedObject) -> (point: PixelPoint, frame: PixelRect)? {
        guard let frame = object.track?.firstFrame, ownPoint(of: object) == nil else { return nil }
        return (point(of: frame), frame)
    }

    /// The point that the object's own points give; nil if the anchor is one of boxes, or the points are not there.
    private func ownPoint(of object: DetectedObject) -> PixelPoint? {
        guard self == .feet, let points = object.points else { return nil }
        let feet = points.filter { [.leftAnkle, .rightAnkle].contains($0.name) && $0.isConfident }.map(\.position)
        guard !feet.isEmpty else { return nil }
        let count = Double(feet.count)
        return PixelPoint(x: feet.reduce(0) { $0 + $1.x } / count, y: feet.reduce(0) { $0 + $1.y } / count)
    }
}
