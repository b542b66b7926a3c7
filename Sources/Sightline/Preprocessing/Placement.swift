/// The way in which a region of a picture is fitted into a tensor of another shape.
public enum ImageFit: Sendable, Hashable {
    /// The whole region, squeezed to the tensor's shape.
    case stretch
    /// The largest centered part of the region that has the tensor's shape.
    case crop
    /// The whole region in its own shape; the rest of the tensor is filled with this pixel value.
    case letterbox(fill: UInt8, anchor: LetterboxAnchor)

    /// The place of a letterboxed picture in its tensor.
    public enum LetterboxAnchor: String, Sendable, Hashable, Codable, CaseIterable {
        /// The middle, as in the YOLO family of Ultralytics.
        case center
        /// The top left corner, as in YOLOX.
        case topLeft
    }
}

/// A part of an upright picture and the part of a tensor that it fills.
///
/// It is computed once and used twice: to write the tensor, and to convert boxes back to the picture.
public struct Placement: Sendable, Hashable {
    /// The part of the upright picture, in its pixels.
    public let source: PixelRect
    /// The part of the tensor that the source fills, in the tensor's pixels. The rest of the tensor has the value `fill`.
    public let target: PixelRect
    /// The size of the tensor in pixels.
    public let tensorSize: PixelSize
    /// The pixel value around a letterboxed picture.
    public let fill: UInt8

    init(source: PixelRect, target: PixelRect, tensorSize: PixelSize, fill: UInt8) {
        (self.source, self.target, self.tensorSize, self.fill) = (source, target, tensorSize, fill)
    }

    /// Fits a region of the upright picture into a tensor.
    public init(_ region: PixelRect, into tensorSize: PixelSize, fit: ImageFit) {
        let whole = PixelRect(tensorSize)
        self.tensorSize = tensorSize
        switch fit {
        case .stretch:
            (source, target, fill) = (region, whole, 0)
        case .crop:
            let scale = min(region.width / whole.width, region.height / whole.height)
            let (width, height) = (whole.width * scale, whole.height * scale)
            source = PixelRect(
                x: region.midX - width / 2,
                y: region.midY - height / 2,
                width: width,
                height: height
            )
            (target, fill) = (whole, 0)
        case .letterbox(let value, let anchor):
            let scale = min(whole.width / region.width, whole.height / region.height)
            // Whole pixels, at least one, so that the border between picture and filling is sharp.
            let width = max((region.width * scale).rounded(), 1)
            let height = max((region.height * scale).rounded(), 1)
            let isCentered = anchor == .center
            target = PixelRect(
                x: isCentered ? ((whole.width - width) / 2).rounded(.down) : 0,
                y: isCentered ? ((whole.height - height) / 2).rounded(.down) : 0,
                width: width,
                height: height
            )
            (source, fill) = (region, value)
        }
    }

    /// Converts a box in fractions of the tensor's width and height to pixels of the upright picture.
    ///
    /// - Parameters:
    ///   - left: The left edge: 0 is the tensor's left edge, 1 its right edge.
    ///   - top: The top edge.
    ///   - right: The right edge.
    ///   - bottom: The bottom edge.
    public func pictureRect(left: Double, top: Double, right: Double, bottom: Double) -> PixelRect {
        let scaleX = source.width / target.width
        let scaleY = source.height / target.height
        return PixelRect(
            x: source.x + (left * Double(tensorSize.width) - target.x) * scaleX,
            y: source.y + (top * Double(tensorSize.height) - target.y) * scaleY,
            width: (right - left) * Double(tensorSize.width) * scaleX,
            height: (bottom - top) * Double(tensorSize.height) * scaleY
        )
    }

    /// Converts a point in fractions of the tensor's width and height to pixels of the upright picture.
    public func picturePoint(x: Double, y: Double) -> PixelPoint {
        PixelPoint(
            x: source.x + (x * Double(tensorSize.width) - target.x) * source.width / target.width,
            y: source.y + (y * Double(tensorSize.height) - target.y) * source.height / target.height
        )
    }
}

extension Placement {
    /// Whether both rectangles cover an area and have finite edges, so that their ratio is a scale.
    var isFinite: Bool {
        !source.isEmpty && !target.isEmpty
            && [source.x, source.y, source.maxX, source.maxY, target.x, target.y, target.maxX, target.maxY]
                .allSatisfy(\.isFinite)
    }

    /// The tensor pixels for each picture pixel, along the axis that has more.
    var scale: Double { max(target.width / source.width, target.height / source.height) }
}

extension DecodedImage {
    /// Returns whether writing with a placement gives the same quality as if the picture had been decoded for it: the pixels
    /// cover all of its source, with a decoded pixel for each pixel that is written.
    func suffices(for placement: Placement) -> Bool {
        guard placement.isFinite, covers(placement.source) else { return false }
        let scale = min(Double(pixels.width) / region.width, Double(pixels.height) / region.height)
        return min(placement.scale, 1) <= scale * (1 + 1e-6)
    }
}
