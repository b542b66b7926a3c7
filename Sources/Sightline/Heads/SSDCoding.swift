import Foundation
import TensorFlowLite

/// The decoding of a raw SSD head's numbers into boxes and confidences.
struct SSDCoding: Sendable, Hashable {
    let xScale: Float
    let yScale: Float
    let widthScale: Float
    let heightScale: Float
    /// Whether sizes are logarithms.
    let hasExponentialSizes: Bool
    let activation: SSDAnchors.Activation
    /// Whether class 0 is the background.
    let hasBackground: Bool
    /// Whether an offset begins with x and width is before height.
    let hasXFirst: Bool

    /// The coding that a sidecar describes.
    init(_ anchors: SSDAnchors) {
        (xScale, yScale) = (anchors.centerScale, anchors.centerScale)
        (widthScale, heightScale) = (anchors.sizeScale, anchors.sizeScale)
        hasExponentialSizes = true
        activation = anchors.activation
        hasBackground = anchors.hasBackground
        hasXFirst = anchors.hasXFirst
    }

    /// The coding that MediaPipe's metadata describes.
    init(_ metadata: DetectorMetadata, hasBackground: Bool) {
        (xScale, yScale) = (metadata.xScale, metadata.yScale)
        (widthScale, heightScale) = (metadata.widthScale, metadata.heightScale)
        hasExponentialSizes = metadata.hasExponentialSizes
        activation = metadata.hasSigmoidScores ? .sigmoid : .none
        self.hasBackground = hasBackground
        hasXFirst = false
    }

    /// The box to which the offset at a place moves and stretches an anchor, in fractions of the picture.
    func box(
        _ offsets: UnsafeBufferPointer<Float>,
        at place: Int,
        of anchor: SSDAnchors.Box
    ) -> (left: Float, top: Float, right: Float, bottom: Float) {
        let (first, second) = hasXFirst ? (1, 0) : (0, 1)
        let y = offsets[place + first] / yScale * anchor.height + anchor.y
        let x = offsets[place + second] / xScale * anchor.width + anchor.x
        let height = factor(offsets[place + 2 + first] / heightScale) * anchor.height
        let width = factor(offsets[place + 2 + second] / widthScale) * anchor.width
        return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    }

    /// The factor of an anchor's size.
    private func factor(_ offset: Float) -> Float { hasExponentialSizes ? exp(offset) : offset }
}
