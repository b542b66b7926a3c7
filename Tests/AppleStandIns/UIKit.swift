// swift-format-ignore-file
// What the adapters and the pages use of UIKit, as Apple documents it; nothing of it works.
@_exported import CoreGraphics
@_exported import Foundation

public final class UIImage: @unchecked Sendable {
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }

    public var imageOrientation: Orientation { .up }
    public var cgImage: CGImage? { nil }
    init() {}
}

public enum UIDeviceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
}

@MainActor public final class UIDevice {
    public static let current = UIDevice()
    public var orientation: UIDeviceOrientation { .unknown }
}
