/// A box in a photo of a data set, in pixels of the upright photo.
package struct PhotoBox: Codable, Sendable, Hashable {
    /// The label of the thing; empty for a proposal without one.
    package var label: String
    package var x, y, width, height: Double
    /// Whether it is around a group of things, in which nothing is learned or measured; nil for no.
    package var isGroup: Bool?
    /// The confidence of a proposal, 0 to 1; nil for a box that a person drew.
    package var confidence: Double?

    /// Creates a box.
    package init(
        label: String,
        x: Double,
        y: Double,
        width: Double,
        height: Double,
        isGroup: Bool? = nil,
        confidence: Double? = nil
    ) {
        (self.label, self.x, self.y, self.width, self.height) = (label, x, y, width, height)
        (self.isGroup, self.confidence) = (isGroup, confidence)
    }

    /// The part of the box inside a photo, with edges in hundredths of a pixel; nil if it is smaller than a pixel.
    package func clipped(toWidth photoWidth: Int, height photoHeight: Int) -> PhotoBox? {
        guard [x, y, width, height].allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else { return nil }
        func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
        var box = self
        (box.x, box.y) = (rounded(max(x, 0)), rounded(max(y, 0)))
        box.width = rounded(min(x + width, Double(photoWidth)) - box.x)
        box.height = rounded(min(y + height, Double(photoHeight)) - box.y)
        return box.width >= 1 && box.height >= 1 ? box : nil
    }
}

/// The boxes of a photo; nil if nobody has drawn them yet, which is not the same as a photo without things.
package struct PhotoBoxes: Codable, Sendable {
    package var boxes: [PhotoBox]?

    /// Creates the input.
    package init(boxes: [PhotoBox]?) { self.boxes = boxes }
}
