public import Foundation

/// The reason for which a picture cannot be cut into slices.
public enum SliceError: Error, Sendable, Hashable {
    /// The slices are too small for the picture.
    ///
    /// - Parameters:
    ///   - region: the size of the picture, or of the region of interest.
    ///   - pixels: width and height of a slice.
    ///   - sufficient: slices that are large enough.
    case tooMany(region: PixelSize, pixels: Int, sufficient: Int)
}

extension SliceError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failed action, the findings, and the next step.
    public var description: String {
        switch self {
        case .tooMany(let region, let pixels, let sufficient):
            "\(region.width) × \(region.height) pixels would be cut into more than \(PictureSlices.maximumCount) slices of "
                + "\(pixels) pixels: choose slices of at least \(sufficient) pixels."
        }
    }

    /// The same sentence, for code that shows any error.
    public var errorDescription: String? { description }
}
