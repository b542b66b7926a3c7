// swift-format-ignore-file
// The part of AppKit that the adapters use, as Apple documents it; nothing of it works.
@_exported import CoreGraphics
@_exported import Foundation

public final class NSGraphicsContext {
    init() {}
}
public struct NSImageRep {
    public struct HintKey: Hashable, Sendable {}
}

public final class NSImage: @unchecked Sendable {
    init() {}
    public func cgImage(
        forProposedRect rect: UnsafeMutablePointer<CGRect>?,
        context: NSGraphicsContext?,
        hints: [NSImageRep.HintKey: Any]?
    ) -> CGImage? { nil }
}
