/// The way in which a person holds a device; names as in `UIDeviceOrientation`.
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

/// The side of a device on which a camera sits; names as in `AVCaptureDevice.Position`.
public enum CameraPosition: Sendable, Hashable, CaseIterable {
    /// Not known, for example a USB camera.
    case unspecified
    /// Away from the user.
    case back
    /// Towards the user.
    case front
}
