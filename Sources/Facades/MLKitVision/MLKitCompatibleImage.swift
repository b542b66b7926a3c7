import FacadeSupport
import Foundation
public import MLImage
import Sightline

/// A picture for detectors and labelers: a ``VisionImage`` or an `MLImage`. (`MLKCompatibleImage`)
///
/// The protocol has no requirements. A class of your own that conforms to it is not supported and leads to an error
/// with code 3.
#if canImport(ObjectiveC)
    @objc(MLKCompatibleImage)
#endif
public protocol MLKitCompatibleImage: AnyObject {}

extension MLImage: MLKitCompatibleImage {}

extension MLKitCompatibleImage {
    /// The picture with its current orientation.
    package var picture: Sightline.VisionImage {
        get throws {
            guard let holder = self as? any FacadePictureContainer else {
                throw FacadeError.unknownImage(type: "\(type(of: self))")
            }
            return try holder.content.picture()
        }
    }
}
