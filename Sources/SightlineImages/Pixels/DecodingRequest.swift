/// The part of a stored picture that a caller needs, and the size at which the caller needs it.
package struct DecodingRequest: Sendable {
    /// The needed region, in pixels of the stored picture and inside it.
    package var region: PixelRect
    /// The needed pixels for each stored pixel, along the axis that needs more. It exceeds 1 for enlargements.
    package var scale: Double

    /// Creates a request for a region at a scale.
    package init(region: PixelRect, scale: Double) {
        self.region = region
        self.scale = scale
    }

    /// Creates a request for a whole picture at full size.
    package init(whole size: PixelSize) {
        self.init(region: PixelRect(size), scale: 1)
    }

    /// Returns the smallest request that meets this one and another one.
    package func union(_ other: DecodingRequest) -> DecodingRequest {
        DecodingRequest(region: region.union(other.region), scale: max(scale, other.scale))
    }

    /// The smallest M from 1 to 8 for which a picture at M/8 of its size has enough pixels.
    ///
    /// A request for M/8 up to rounding gives M.
    var eighths: Int { min(max(Int((min(scale, 1) * 8 - 1e-6).rounded(.up)), 1), 8) }
}
