import Foundation
import Sightline

/// Cuts objects out of pictures.
public enum ObjectCrop {
    /// The part of a picture that shows an object, widened to whole pixels.
    ///
    /// - Parameters:
    ///   - picture: an upright picture in the format `rgb`, as `VisionImage.upright()` returns it.
    ///   - frame: the object's frame in pixels of the picture. Parts outside the picture are left out.
    /// - Returns: a separate picture in the format `rgb`; nil if no part of the object lies in the picture.
    /// - Throws: `MediaError.drawingFailed` if the picture has another format.
    public static func crop(_ picture: PixelBuffer, to frame: PixelRect) throws(MediaError) -> PixelBuffer? {
        guard picture.format == .rgb, let plane = picture.planes.first else {
            throw .drawingFailed(reason: "the picture's pixels are \(picture.format.rawValue), expected rgb")
        }
        guard let area = frame.wholePixels(in: picture.size) else { return nil }
        let (left, top) = (Int(area.x), Int(area.y))
        let (width, height) = (Int(area.width), Int(area.height))
        var bytes = Data(capacity: width * height * 3)
        for y in top..<top + height {
            let start = plane.data.startIndex + y * plane.bytesPerRow + left * 3
            bytes.append(plane.data[start..<start + width * 3])
        }
        do throws(ImageError) {
            return try PixelBuffer(
                format: .rgb,
                width: width,
                height: height,
                planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: width * 3)]
            )
        } catch {
            throw .image(error)
        }
    }

    /// The pixels of a picture that show an object, on a transparent ground.
    ///
    /// - Parameters:
    ///   - picture: an upright picture in the format `rgb`, as `VisionImage.upright()` returns it.
    ///   - mask: the pixels of the object.
    /// - Returns: a separate picture in the format `rgba`, as large as the mask's pixels reach. All pixels outside the mask are 0. Nil if no pixel
    ///   of the mask lies in the picture.
    /// - Throws: `MediaError.drawingFailed` if the picture has another format.
    public static func cutOut(_ picture: PixelBuffer, along mask: ObjectMask) throws(MediaError) -> PixelBuffer? {
        guard picture.format == .rgb, let plane = picture.planes.first else {
            throw .drawingFailed(reason: "the picture's pixels are \(picture.format.rawValue), expected rgb")
        }
        let spans = mask.spans.filter { (0..<picture.height).contains($0.y) }
            .map { (y: $0.y, columns: $0.columns.clamped(to: 0..<picture.width)) }
            .filter { !$0.columns.isEmpty }
        guard let top = spans.first?.y, let bottom = spans.last?.y,
            let left = spans.map(\.columns.lowerBound).min(), let right = spans.map(\.columns.upperBound).max()
        else { return nil }
        let (width, height) = (right - left, bottom + 1 - top)
        var bytes = Data(count: width * height * 4)
        for span in spans {
            for column in span.columns {
                let source = plane.data.startIndex + span.y * plane.bytesPerRow + column * 3
                let target = ((span.y - top) * width + column - left) * 4
                for channel in 0..<3 { bytes[target + channel] = plane.data[source + channel] }
                bytes[target + 3] = 255
            }
        }
        do throws(ImageError) {
            return try PixelBuffer(
                format: .rgba,
                width: width,
                height: height,
                planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: width * 4)]
            )
        } catch {
            throw .image(error)
        }
    }
}

extension PixelRect {
    /// The part that lies in a picture, widened to whole pixels; nil if there is none.
    func wholePixels(in size: PixelSize) -> PixelRect? {
        guard [x, y, width, height].allSatisfy(\.isFinite), let visible = intersection(PixelRect(size)) else {
            return nil
        }
        let (left, top) = (visible.x.rounded(.down), visible.y.rounded(.down))
        return PixelRect(
            x: left,
            y: top,
            width: visible.maxX.rounded(.up) - left,
            height: visible.maxY.rounded(.up) - top
        )
    }
}
