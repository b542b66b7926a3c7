/// Clips boxes that the tracker carries on to the picture.
///
/// Where the picture's edge cut an object off when the detector last saw it, the box continues to reach the edge, since the part
/// of the picture that comes into view there belongs to the object.
struct EdgeClipper: Sendable {
    private struct Sides: OptionSet, Sendable {
        let rawValue: Int
        static let left = Sides(rawValue: 1)
        static let top = Sides(rawValue: 2)
        static let right = Sides(rawValue: 4)
        static let bottom = Sides(rawValue: 8)
    }

    private var sides: [Int: Sides] = [:]

    /// The distance from the edge, as a share of the picture, within which a side counts as cut off: detectors are not exact.
    private static let nearness = 0.01

    /// Remembers which sides of a detected box the picture's edge cuts off.
    mutating func remember(_ frame: PixelRect, of id: Int, in size: PixelSize) {
        let picture = PixelRect(size)
        let (near, below) = (picture.width * Self.nearness, picture.height * Self.nearness)
        var cut: Sides = []
        if frame.x <= near { cut.insert(.left) }
        if frame.y <= below { cut.insert(.top) }
        if frame.maxX >= picture.width - near { cut.insert(.right) }
        if frame.maxY >= picture.height - below { cut.insert(.bottom) }
        sides[id] = cut
    }

    /// The part of a carried box that lies in the picture; nil if the object has left it.
    func visible(_ frame: PixelRect, of id: Int, in size: PixelSize) -> PixelRect? {
        let picture = PixelRect(size)
        guard let inside = frame.intersection(picture) else { return nil }
        let cut = sides[id] ?? []
        let left = cut.contains(.left) ? 0 : inside.x
        let top = cut.contains(.top) ? 0 : inside.y
        let right = cut.contains(.right) ? picture.width : inside.maxX
        let bottom = cut.contains(.bottom) ? picture.height : inside.maxY
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Forgets all other objects.
    mutating func keep(_ ids: Set<Int>) { sides = sides.filter { ids.contains($0.key) } }
}
