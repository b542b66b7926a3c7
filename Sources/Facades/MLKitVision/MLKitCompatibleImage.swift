import FacadeSupport
public import MLImage
import Sightline

/// A picture that detectors and labelers take: a ``VisionImage`` or an `MLImage`. (`MLKCompatibleImage`)
///
/// The protocol asks for nothing; a class of your own that conforms to it cannot be looked at, and gives an error of code 3.
public protocol MLKitCompatibleImage: AnyObject {}

extension MLImage: MLKitCompatibleImage {}

extension MLKitCompatibleImage {
    /// The picture as it is now.
    package var picture: Sightline.VisionImage {
        get throws {
            guard let holder = self as? any PictureHolder else {
                throw FacadeError.unknownImage(type: "\(type(of: self))")
            }
            return try holder.held.picture()
        }
    }
}
