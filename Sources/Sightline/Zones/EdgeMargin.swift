import Foundation

extension PixelRect {
    /// The distance from an edge up to which a box's point is on neither side: 5 % of the box's size.
    var edgeMargin: Double { 0.05 * edgeSize }

    /// The box's size: the side of a square of the same area, 0 for a box without one.
    var edgeSize: Double {
        let size = (width * height).squareRoot()
        return size.isFinite ? size : 0
    }
}

extension PixelPoint {
    /// The distance to the line between two points.
    func distance(toLineFrom start: PixelPoint, to end: PixelPoint) -> Double {
        let (edgeX, edgeY) = (end.x - start.x, end.y - start.y)
        let length = edgeX * edgeX + edgeY * edgeY
        let share = length > 0 ? min(max(((x - start.x) * edgeX + (y - start.y) * edgeY) / length, 0), 1) : 0
        return hypot(start.x + share * edgeX - x, start.y + share * edgeY - y)
    }
}
