import Foundation
import Sightline

/// The contents of the facades' picture classes.
public struct FacadePicture: Sendable {
    /// The picture, or the reason why there is none. The originals' initializers do not fail, so the first use reports
    /// the reason.
    private let image: Result<VisionImage, any Error>

    /// The orientation of the stored rows relative to the upright picture.
    public var orientation: ImageOrientation

    /// Creates contents from a picture.
    public init(_ image: VisionImage) {
        self.image = .success(image)
        orientation = image.orientation
    }

    /// Creates contents from a closure that may fail.
    public init(orientation: ImageOrientation = .up, _ make: () throws -> VisionImage) {
        image = Result { try make() }
        self.orientation = orientation
    }

    /// The picture with the current orientation.
    ///
    /// - Throws: The reason why the picture cannot be used, not yet translated.
    public func picture() throws -> VisionImage {
        try image.get().oriented(orientation)
    }
}

/// A picture class of the facades.
package protocol FacadePictureContainer {
    /// The picture.
    var content: FacadePicture { get }
}
