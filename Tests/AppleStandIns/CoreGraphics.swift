// swift-format-ignore-file
// The part of Core Foundation and Core Graphics that the package uses, as Apple documents it; nothing of it works.
//
// Core Foundation's types are names of Foundation's values here, so that casts between the two compile, as they do where the
// Objective-C runtime bridges them.
@_exported import Foundation

public typealias CFTypeRef = Any
public typealias CFString = String
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFDictionary = [AnyHashable: Any]
public func CFEqual(_ left: CFTypeRef!, _ right: CFTypeRef!) -> Bool { false }

public final class CGColorSpace {
    init() {}
}

public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace() }

public enum CGImageAlphaInfo: UInt32 {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

public struct CGAffineTransform: Sendable {
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {}
}

public enum CGLineCap: Int32, Sendable { case butt, round, square }
public enum CGLineJoin: Int32, Sendable { case miter, round, bevel }

public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public enum CGInterpolationQuality: Int32, Sendable {
    case `default`, none, low, high, medium
}

public final class CGDataProvider {
    public init?(data: CFData) { return nil }
}

public final class CGImage {
    public var width: Int { 0 }
    public var height: Int { 0 }
    public init?(
        width: Int,
        height: Int,
        bitsPerComponent: Int,
        bitsPerPixel: Int,
        bytesPerRow: Int,
        space: CGColorSpace,
        bitmapInfo: CGBitmapInfo,
        provider: CGDataProvider,
        decode: UnsafePointer<CGFloat>?,
        shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) { return nil }
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

    public var interpolationQuality: CGInterpolationQuality {
        get { .default }
        set {}
    }
    public var data: UnsafeMutableRawPointer? { nil }
    public var bytesPerRow: Int { 0 }
    public var textMatrix: CGAffineTransform {
        get { CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0) }
        set {}
    }
    public var textPosition: CGPoint {
        get { CGPoint(x: 0, y: 0) }
        set {}
    }
    public func flush() {}
    public func saveGState() {}
    public func restoreGState() {}
    public func concatenate(_ transform: CGAffineTransform) {}
    public func setLineCap(_ cap: CGLineCap) {}
    public func setLineJoin(_ join: CGLineJoin) {}
    public func setLineWidth(_ width: CGFloat) {}
    public func beginPath() {}
    public func move(to point: CGPoint) {}
    public func addLine(to point: CGPoint) {}
    public func strokePath() {}
    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func fill(_ rect: CGRect) {}
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
}

// Foundation has this on Apple's systems alone.
extension URL {
    public static var applicationSupportDirectory: URL { URL(filePath: "/") }
    public static var cachesDirectory: URL { URL(filePath: "/") }
}
