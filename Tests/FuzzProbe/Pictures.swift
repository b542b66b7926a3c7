import Foundation

@testable import Sightline
@testable import SightlineEvaluation

extension FuzzTarget {
    /// Pictures in all formats, decoded whole, small and in part.
    static let picture = FuzzTarget(name: "picture") { data in
        let image = try VisionImage(data: data, limits: ImageLimits(maximumPixels: 250_000))
        let whole = PixelRect(image.size)
        let part = PixelRect(x: whole.width / 3, y: whole.height / 4, width: whole.width / 2, height: whole.height / 2)
        for (region, side) in [(whole, 24), (part, 96)] {
            let format = InputFormat(size: PixelSize(width: side, height: side))
            let placement = Placement(region, into: format.size, fit: .stretch)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * side * side, alignment: 64)
            defer { buffer.deallocate() }
            try image.decoded(for: [placement]).write(placement, as: format, into: buffer)
        }
        _ = try image.upright()
    }

    /// Annotations in COCO's format, with outlines and key points.
    static let coco = FuzzTarget(name: "coco") { data in
        _ = try BoxAnnotations(json: data, name: "a.zip", path: "a.json", limits: .standard, masks: true)
    }

    /// Annotations in XML.
    static let xml = FuzzTarget(name: "xml") { data in _ = try XMLElement.root(of: data) }
}
