import Sightline

extension DetectedObject {
    /// The outlines of the object in a picture, for formats of polygons: those of its mask, otherwise the corners of its box; empty for an
    /// object outside the picture.
    func outlines(in size: PixelSize) -> [[PixelPoint]] {
        let outlines = mask?.outlines() ?? []
        return inside(outlines.isEmpty ? corners(in: size) : outlines, size)
    }

    /// The outlines of the object in a picture as one, whose parts are joined.
    func outline(in size: PixelSize) -> [PixelPoint] {
        let outline = mask?.outline() ?? []
        return inside(outline.isEmpty ? corners(in: size) : [outline], size).first ?? []
    }

    private func corners(in size: PixelSize) -> [[PixelPoint]] {
        guard let frame = frame.intersection(PixelRect(size)) else { return [] }
        return [
            [(frame.x, frame.y), (frame.maxX, frame.y), (frame.maxX, frame.maxY), (frame.x, frame.maxY)].map {
                PixelPoint(x: $0.0, y: $0.1)
            }
        ]
    }

    private func inside(_ outlines: [[PixelPoint]], _ size: PixelSize) -> [[PixelPoint]] {
        outlines.map { outline in
            outline.map {
                PixelPoint(x: min(max($0.x, 0), Double(size.width)), y: min(max($0.y, 0), Double(size.height)))
            }
        }
    }
}
