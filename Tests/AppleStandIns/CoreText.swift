// swift-format-ignore-file
// The part of Core Text that the package uses, as Apple documents it; nothing of it works.
@_exported import CoreGraphics
@_exported import Foundation

public typealias CFAttributedString = NSAttributedString

public final class CTFont {
    init() {}
}
public final class CTLine {
    init() {}
}
public enum CTFontUIFontType: UInt32, Sendable {
    case system = 2
    case emphasizedSystem = 3
}

public let kCTFontAttributeName: CFString = ""
public let kCTForegroundColorFromContextAttributeName: CFString = ""

public func CTFontCreateUIFontForLanguage(_ type: CTFontUIFontType, _ size: CGFloat, _ language: CFString?) -> CTFont? { nil }
public func CTFontGetAscent(_ font: CTFont) -> CGFloat { 0 }
public func CTFontGetDescent(_ font: CTFont) -> CGFloat { 0 }
public func CTLineCreateWithAttributedString(_ string: CFAttributedString) -> CTLine { CTLine() }
public func CTLineDraw(_ line: CTLine, _ context: CGContext) {}
public func CTLineGetTypographicBounds(
    _ line: CTLine,
    _ ascent: UnsafeMutablePointer<CGFloat>?,
    _ descent: UnsafeMutablePointer<CGFloat>?,
    _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double { 0 }
