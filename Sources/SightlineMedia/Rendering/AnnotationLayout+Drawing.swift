import Foundation
import Sightline

/// Drawing goes from one piece of ink to the next, in parts of at most one tile. The rest of the picture is not touched, a picture of
/// any size needs only one tile of extra memory, and Cairo's limit of 32,767 pixels a side does not matter.
extension AnnotationLayout {
    private static let tile = PixelSize(width: 512, height: 128)

    /// Draws onto the stored rows of a picture.
    ///
    /// - Parameter orientation: the orientation of the stored picture; the marks are upright in the upright picture.
    func draw(on canvas: inout PixelCanvas, orientation: ImageOrientation) throws(MediaError) {
        if !blurs.isEmpty { canvas.draw { rows in blur(rows, orientation) } }
        let inks = inks
        guard !inks.isEmpty else { return }
        let tile = PixelSize(
            width: min(canvas.size.width + 1, Self.tile.width),
            height: min(canvas.size.height + 1, Self.tile.height)
        )
        let context = try DrawingContext(width: tile.width, height: tile.height)
        context.setFont(size: fontSize)
        let whole = PixelRect(canvas.size)
        try canvas.draw { (rows) throws(MediaError) in
            for ink in inks {
                guard let area = orientation.storedRect(of: ink.frame, in: rows.size).intersection(whole) else {
                    continue
                }
                // Even edges, because two by two pixels may share their color.
                let (left, top) = (Int(area.x) & ~1, Int(area.y) & ~1)
                let (right, bottom) = (Int(area.maxX.rounded(.up)), Int(area.maxY.rounded(.up)))
                let (evenRight, evenBottom) = (
                    min(right + right % 2, rows.size.width), min(bottom + bottom % 2, rows.size.height)
                )
                for y in stride(from: top, to: evenBottom, by: tile.height & ~1) {
                    for x in stride(from: left, to: evenRight, by: tile.width & ~1) {
                        let region = PixelRegion(
                            x: x,
                            y: y,
                            width: min(tile.width & ~1, evenRight - x),
                            height: min(tile.height & ~1, evenBottom - y)
                        )
                        try draw(ink, orientation, in: region, of: rows, with: context)
                    }
                }
            }
        }
        try context.check()
    }

    /// Blurs the parts that annotators asked for.
    private func blur(_ rows: borrowing PixelRows, _ orientation: ImageOrientation) {
        let whole = PixelRect(rows.size)
        for blur in blurs {
            guard let area = orientation.storedRect(of: blur.frame, in: rows.size).intersection(whole) else { continue }
            // Even edges, because two by two pixels may share their color.
            let (left, top) = (Int(area.x) & ~1, Int(area.y) & ~1)
            let (right, bottom) = (Int(area.maxX.rounded(.up)), Int(area.maxY.rounded(.up)))
            let region = PixelRegion(
                x: left,
                y: top,
                width: min(right + right % 2, rows.size.width) - left,
                height: min(bottom + bottom % 2, rows.size.height) - top
            )
            guard let shape = blur.shape else {
                rows.blur(region)
                continue
            }
            var matrix = orientation.uprightToStored(in: rows.size)
            matrix.x0 -= Double(region.x)
            matrix.y0 -= Double(region.y)
            rows.blur(region) { column, row in
                let (x, y) = matrix.uprightPixel(column, row)
                return shape.level(x: x, y: y) != PixelShape.ground
            }
        }
    }

    /// A piece of ink and its area, in the order of drawing.
    private struct Ink {
        enum Kind {
            case heat(Heat)
            case surface(Surface)
            case line(Line)
            case fill(AnnotationColor)
            case tag(Tag)
        }

        let frame: PixelRect
        let kind: Kind
    }

    private var inks: [Ink] {
        var inks: [Ink] = []
        if let heat { inks.append(Ink(frame: PixelRect(size), kind: .heat(heat))) }
        for surface in surfaces { inks.append(Ink(frame: surface.shape.frame, kind: .surface(surface))) }
        for line in lines { inks.append(Ink(frame: line.frame, kind: .line(line))) }
        for box in boxes {
            let frame = box.frame
            let (across, down) = (min(lineWidth, frame.width), min(lineWidth, frame.height))
            let sides = [
                PixelRect(x: frame.x, y: frame.y, width: frame.width, height: down),
                PixelRect(x: frame.x, y: frame.maxY - down, width: frame.width, height: down),
                PixelRect(x: frame.x, y: frame.y, width: across, height: frame.height),
                PixelRect(x: frame.maxX - across, y: frame.y, width: across, height: frame.height),
            ]
            for side in sides { inks.append(Ink(frame: side, kind: .fill(box.color))) }
        }
        for fill in fills { inks.append(Ink(frame: fill.frame, kind: .fill(fill.color))) }
        for tag in tags { inks.append(Ink(frame: tag.frame, kind: .tag(tag))) }
        return inks
    }

    private func draw(
        _ ink: Ink,
        _ orientation: ImageOrientation,
        in region: PixelRegion,
        of rows: borrowing PixelRows,
        with context: borrowing DrawingContext
    ) throws(MediaError) {
        try context.clear(width: region.width, height: region.height)
        var matrix = orientation.uprightToStored(in: rows.size)
        matrix.x0 -= Double(region.x)
        matrix.y0 -= Double(region.y)
        context.setMatrix(matrix)
        switch ink.kind {
        case .heat(let heat):
            try context.withPixels { heat.fill($0, $1, region, matrix) }
        case .surface(let surface):
            try context.withPixels { surface.fill($0, $1, region, matrix) }
        case .line(let line):
            context.setColor(line.color)
            context.drawLine(through: line.points, width: line.width)
        case .fill(let color):
            context.setColor(color)
            context.fill(ink.frame)
        case .tag(let tag):
            context.setColor(tag.color)
            context.fill(tag.frame)
            context.setColor(tag.color.contrastingText)
            context.drawText(tag.text, x: tag.frame.x + padding, baseline: tag.frame.y + baseline)
        }
        try context.withPixels { pixels, pixelsPerRow in
            rows.blend(pixels, inkPerRow: pixelsPerRow, into: region)
        }
    }
}

extension ImageOrientation {
    /// Maps points of the upright picture to the stored picture, as `storedRect(of:in:)` maps rectangles.
    fileprivate func uprightToStored(in stored: PixelSize) -> PixelMatrix {
        let (width, height) = (Double(stored.width), Double(stored.height))
        // x = xx u + xy v + x0, y = yx u + yy v + y0.
        func matrix(_ xx: Double, _ xy: Double, _ x0: Double, _ yx: Double, _ yy: Double, _ y0: Double)
            -> PixelMatrix
        {
            PixelMatrix(xx: xx, yx: yx, xy: xy, yy: yy, x0: x0, y0: y0)
        }
        return switch self {
        case .up: matrix(1, 0, 0, 0, 1, 0)
        case .upMirrored: matrix(-1, 0, width, 0, 1, 0)
        case .down: matrix(-1, 0, width, 0, -1, height)
        case .downMirrored: matrix(1, 0, 0, 0, -1, height)
        case .leftMirrored: matrix(0, 1, 0, 1, 0, 0)
        case .right: matrix(0, 1, 0, -1, 0, height)
        case .rightMirrored: matrix(0, -1, width, -1, 0, height)
        case .left: matrix(0, -1, width, 1, 0, 0)
        }
    }
}
