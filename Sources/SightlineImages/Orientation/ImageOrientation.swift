/// The relation of a picture's stored rows to the upright picture.
///
/// Raw values are those of the EXIF tag 0x0112 (Exif 2.32, section 4.6.4). The names are those of `UIImage.Orientation`:
/// `.right` means that a quarter turn clockwise makes the stored picture upright.
public enum ImageOrientation: UInt8, Sendable, Hashable, CaseIterable, Codable {
    /// Stored upright.
    case up = 1
    /// Stored as its mirror image.
    case upMirrored = 2
    /// Stored upside down.
    case down = 3
    /// Stored upside down and mirrored.
    case downMirrored = 4
    /// Stored transposed: rows are columns of the upright picture.
    case leftMirrored = 5
    /// Must be turned 90° clockwise.
    case right = 6
    /// Stored transposed along the other diagonal.
    case rightMirrored = 7
    /// Must be turned 90° counterclockwise.
    case left = 8

    /// Whether the stored picture must be turned by 90°, so that its height is the width of the upright picture.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// The orientation with which the stored picture becomes the mirror image of the upright one, left and right exchanged.
    package var mirrored: ImageOrientation {
        switch self {
        case .up: .upMirrored
        case .upMirrored: .up
        case .down: .downMirrored
        case .downMirrored: .down
        case .leftMirrored: .right
        case .right: .leftMirrored
        case .rightMirrored: .left
        case .left: .rightMirrored
        }
    }

    /// Creates the orientation of camera frames by the rule of ML Kit's guides.
    ///
    /// - Parameters:
    ///   - deviceOrientation: The orientation of the device.
    ///   - cameraPosition: The camera that took the frame.
    public init(deviceOrientation: DeviceOrientation, cameraPosition: CameraPosition) {
        let isFront = cameraPosition == .front
        self =
            switch deviceOrientation {
            case .portrait: isFront ? .leftMirrored : .right
            case .landscapeLeft: isFront ? .downMirrored : .up
            case .portraitUpsideDown: isFront ? .rightMirrored : .left
            case .landscapeRight: isFront ? .upMirrored : .down
            case .faceUp, .faceDown, .unknown: .up
            }
    }
}
