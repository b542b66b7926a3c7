import Foundation
import Sightline
import SightlineLocks

/// Information about a picture in addition to its pixels.
#if canImport(ObjectiveC)
    @objc(FIRVisionImageMetadata) @objcMembers
#endif
public final class VisionImageMetadata: NSObject, Sendable {
    private let value = Mutex(VisionDetectorImageOrientation.topLeft)

    /// The orientation of the picture: the sides of its first row and its first column.
    public var orientation: VisionDetectorImageOrientation {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }

    /// Creates metadata of an upright picture.
    public override init() {}
}

/// The sides of the first row and the first column of a picture when it is upright.
///
/// Raw values are those of the EXIF tag 0x0112 (Exif 2.32, section 4.6.4).
#if canImport(ObjectiveC)
    @objc(FIRVisionDetectorImageOrientation)
#endif
public enum VisionDetectorImageOrientation: UInt, Sendable {
    /// Upright.
    case topLeft = 1
    /// The mirror image.
    case topRight = 2
    /// Upside down.
    case bottomRight = 3
    /// Upside down and mirrored.
    case bottomLeft = 4
    /// Transposed.
    case leftTop = 5
    /// To be rotated a quarter turn clockwise.
    case rightTop = 6
    /// Transposed along the other diagonal.
    case rightBottom = 7
    /// To be rotated a quarter turn counter-clockwise.
    case leftBottom = 8
}

extension ImageOrientation {
    /// Translates Firebase's name of an orientation.
    init(_ orientation: VisionDetectorImageOrientation) {
        self =
            switch orientation {
            case .topLeft: .up
            case .topRight: .upMirrored
            case .bottomRight: .down
            case .bottomLeft: .downMirrored
            case .leftTop: .leftMirrored
            case .rightTop: .right
            case .rightBottom: .rightMirrored
            case .leftBottom: .left
            }
    }
}
