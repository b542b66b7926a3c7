// swift-format-ignore-file
// The part of UIKit that the adapters and the pages use, as Apple documents it; nothing of it works.
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

public final class UIColor: Sendable {
    public static let clear = UIColor()
    public static let yellow = UIColor()
    public func setStroke() {}
}

public final class UIFont: Sendable {
    public struct TextStyle: Hashable, Sendable {
        public static let caption1 = TextStyle()
    }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

extension NSAttributedString.Key {
    public static let font = NSAttributedString.Key(rawValue: "NSFont")
    public static let foregroundColor = NSAttributedString.Key(rawValue: "NSColor")
}

extension NSAttributedString {
    public func size() -> CGSize { CGSize(width: 0, height: 0) }
    public func draw(at point: CGPoint) {}
}

public final class UIBezierPath {
    public init() {}
    public init(rect: CGRect) {}
    public var lineWidth: CGFloat = 1
    public func append(_ path: UIBezierPath) {}
    public func stroke() {}
}

@MainActor open class UIView: NSObject {
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw
    }

    public init(frame: CGRect) {}
    public required init?(coder: NSCoder) {}
    open var bounds: CGRect = CGRect(x: 0, y: 0, width: 0, height: 0)
    open var backgroundColor: UIColor?
    open var isOpaque = true
    open var isUserInteractionEnabled = true
    open var contentMode = ContentMode.scaleToFill
    open func setNeedsDisplay() {}
    open func draw(_ rect: CGRect) {}
    open func addSubview(_ view: UIView) {}
}
