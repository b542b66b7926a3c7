/// How the stored rows of a picture relate to the upright picture.
///
/// Raw values are those of the EXIF tag 0x0112 (Exif 2.32, section 4.6.4); names are those of `UIImage.Orientation`.
/// `.right` means that the stored picture must be turned a quarter clockwise to stand upright.
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
    /// Must be turned 90° counter-clockwise.
    case left = 8

    /// Whether the upright picture is as wide as the stored one is high.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// The orientation of camera frames, as ML Kit's guides compute it.
    ///
    /// - Parameters:
    ///   - deviceOrientation: how the device is held.
    ///   - cameraPosition: which of its cameras took the frame.
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

/// How a device is held; names as in `UIDeviceOrientation`.
public enum DeviceOrientation: Sendable, Hashable, CaseIterable {
    /// Not known.
    case unknown
    /// Upright.
    case portrait
    /// Upside down.
    case portraitUpsideDown
    /// On its side, home button on the right.
    case landscapeLeft
    /// On its side, home button on the left.
    case landscapeRight
    /// Flat, screen up.
    case faceUp
    /// Flat, screen down.
    case faceDown
}

/// Which side of a device its camera looks from; names as in `AVCaptureDevice.Position`.
public enum CameraPosition: Sendable, Hashable, CaseIterable {
    /// Not known, for example a USB camera.
    case unspecified
    /// Away from the user.
    case back
    /// Towards the user.
    case front
}
