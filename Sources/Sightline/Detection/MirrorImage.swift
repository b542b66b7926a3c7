/// Geometry of the mirror image of an upright picture, in which left and right are exchanged.
extension PixelRect {
    /// The same part of the mirror image.
    func mirrored(in size: PixelSize) -> PixelRect {
        PixelRect(x: Double(size.width) - maxX, y: y, width: width, height: height)
    }
}

extension Placement {
    /// The placement of the same part of the mirror image.
    func mirrored(in size: PixelSize) -> Placement {
        Placement(source: source.mirrored(in: size), target: target, tensorSize: tensorSize, fill: fill)
    }
}

extension DetectedObject {
    /// An object of the mirror image, where it is in the picture itself.
    func mirrored(in size: PixelSize) -> DetectedObject {
        var object = self
        object.frame = frame.mirrored(in: size)
        object.points = points?.map {
            let position = PixelPoint(x: Double(size.width) - $0.position.x, y: $0.position.y)
            return ObjectPoint($0.name.mirrored, at: position, confidence: $0.confidence)
        }
        object.mask = mask?.mirrored(in: size)
        return object
    }
}

extension ObjectPoint.Name {
    /// The name of the point that the mirror image shows in its place: a left eye looks like a right one.
    fileprivate var mirrored: Self {
        for (side, other) in [("left", "right"), ("right", "left")] where rawValue.hasPrefix(side) {
            return Self(rawValue: other + rawValue.dropFirst(side.count))
        }
        return self
    }
}
