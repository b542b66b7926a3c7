import Foundation
import Sightline

/// What the facades' classes of pictures hold.
public struct HeldPicture: Sendable {
    /// The picture, or why there is none: the originals' initialisers do not fail, so that this comes out when it is used.
    private let image: Result<VisionImage, any Error>

    /// How the stored rows relate to the upright picture.
    public var orientation: ImageOrientation

    /// A picture that is there.
    public init(_ image: VisionImage) {
        self.image = .success(image)
        orientation = image.orientation
    }

    /// A picture that is made here, perhaps in vain.
    public init(orientation: ImageOrientation = .up, _ make: () throws -> VisionImage) {
        image = Result { try make() }
        self.orientation = orientation
    }

    /// The picture as it is now.
    ///
    /// - Throws: why it cannot be used, not yet translated.
    public func picture() throws -> VisionImage {
        try image.get().oriented(orientation)
    }
}

/// A class of pictures that the facades know.
package protocol PictureHolder {
    /// The picture.
    var held: HeldPicture { get }
}
