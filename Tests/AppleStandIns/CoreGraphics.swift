// swift-format-ignore-file
// What the adapters use of Core Graphics, as Apple documents it; nothing of it works.
@_exported import Foundation

public final class CGImage {
    public var width: Int { 0 }
    public var height: Int { 0 }
    init() {}
}

public final class CGColorSpace {
    init() {}
}

public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }

public enum CGImageAlphaInfo: UInt32 {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public final class CGContext {
    public init?(
        data: UnsafeMutableRawPointer?,
        width: Int,
        height: Int,
        bitsPerComponent: Int,
        bytesPerRow: Int,
        space: CGColorSpace,
        bitmapInfo: UInt32
    ) { return nil }

    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func fill(_ rect: CGRect) {}
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
}
