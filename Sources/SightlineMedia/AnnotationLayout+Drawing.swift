import CCairo
import Foundation
import Sightline

/// Drawing goes tile by tile, and only where there is something to draw: a picture of any size needs one tile of memory
/// beyond itself, and Cairo's limit of 32,767 pixels a side does not matter.
///
/// Unsafe code: pixel indices are computed from a tile that was clipped to the picture, and `draw` checks that the bytes
/// hold the whole picture before the first one is touched.
extension AnnotationLayout {
    private static let tileSize = PixelSize(width: 1024, height: 256)

    /// Draws onto RGB pixels, row after row from the top.
    func draw(on bytes: inout Data, size: PixelSize, bytesPerRow: Int) throws(MediaError) {
        guard !boxes.isEmpty || !tags.isEmpty else { return }
        let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(by: 3)
        let (allBytes, overflow) = max(size.height - 1, 0).multipliedReportingOverflow(by: bytesPerRow)
        guard size.width > 0, size.height > 0, !rowOverflow, !overflow, bytesPerRow >= rowBytes,
            bytes.count >= rowBytes, bytes.count - rowBytes >= allBytes
        else { throw .drawingFailed(reason: "\(bytes.count) bytes are no picture of \(size.width)×\(size.height)") }

        let tile = PixelSize(
            width: min(size.width, Self.tileSize.width),
            height: min(size.height, Self.tileSize.height)
        )
        let context = try CairoContext(width: tile.width, height: tile.height)
        context.setFont(size: fontSize)
        let ink = inkFrames
        for top in stride(from: 0, to: size.height, by: tile.height) {
            for left in stride(from: 0, to: size.width, by: tile.width) {
                let area = PixelRect(
                    x: Double(left),
                    y: Double(top),
                    width: Double(min(tile.width, size.width - left)),
                    height: Double(min(tile.height, size.height - top))
                )
                guard ink.contains(where: { $0.intersection(area) != nil }) else { continue }
                try draw(area, of: &bytes, bytesPerRow: bytesPerRow, with: context)
            }
        }
    }

    /// Rectangles that together cover all that is drawn: the four sides of each box, and each tag.
    private var inkFrames: [PixelRect] {
        tags.map(\.frame)
            + boxes.flatMap { box in
                let frame = box.frame
                let (across, down) = (min(lineWidth, frame.width), min(lineWidth, frame.height))
                return [
                    PixelRect(x: frame.x, y: frame.y, width: frame.width, height: down),
                    PixelRect(x: frame.x, y: frame.maxY - down, width: frame.width, height: down),
                    PixelRect(x: frame.x, y: frame.y, width: across, height: frame.height),
                    PixelRect(x: frame.maxX - across, y: frame.y, width: across, height: frame.height),
                ]
            }
    }

    private func draw(
        _ area: PixelRect,
        of bytes: inout Data,
        bytesPerRow: Int,
        with context: borrowing CairoContext
    ) throws(MediaError) {
        let (left, top, width, height) = (Int(area.x), Int(area.y), Int(area.width), Int(area.height))
        try context.withPixels { pixels, pixelsPerRow in
            bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                for row in 0..<height {
                    let source = (top + row) * bytesPerRow + left * 3
                    for column in 0..<width {
                        let index = source + column * 3
                        pixels[row * pixelsPerRow + column] =
                            UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    }
                }
            }
        }
        cairo_identity_matrix(context.pointer)
        cairo_translate(context.pointer, -area.x, -area.y)
        drawAll(with: context)
        try context.check()
        try context.withPixels { pixels, pixelsPerRow in
            bytes.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
                for row in 0..<height {
                    let target = (top + row) * bytesPerRow + left * 3
                    for column in 0..<width {
                        let index = target + column * 3
                        let pixel = pixels[row * pixelsPerRow + column]
                        bytes[index] = UInt8(truncatingIfNeeded: pixel >> 16)
                        bytes[index + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
                        bytes[index + 2] = UInt8(truncatingIfNeeded: pixel)
                    }
                }
            }
        }
    }

    private func drawAll(with context: borrowing CairoContext) {
        let pointer = context.pointer
        cairo_set_fill_rule(pointer, CAIRO_FILL_RULE_EVEN_ODD)
        for box in boxes {
            let frame = box.frame
            context.setColor(box.color)
            cairo_rectangle(pointer, frame.x, frame.y, frame.width, frame.height)
            if frame.width > 2 * lineWidth, frame.height > 2 * lineWidth {
                // The hole, left open by the even-odd rule.
                cairo_rectangle(
                    pointer,
                    frame.x + lineWidth,
                    frame.y + lineWidth,
                    frame.width - 2 * lineWidth,
                    frame.height - 2 * lineWidth
                )
            }
            cairo_fill(pointer)
        }
        for tag in tags {
            context.setColor(tag.color)
            cairo_rectangle(pointer, tag.frame.x, tag.frame.y, tag.frame.width, tag.frame.height)
            cairo_fill(pointer)
            context.setColor(tag.color.contrastingText)
            cairo_move_to(pointer, tag.frame.x + padding, tag.frame.y + baseline)
            cairo_show_text(pointer, tag.text)
        }
    }
}
