// swift-format-ignore-file
// The part of SwiftUI that the package uses, as Apple documents it; nothing of it works.
@_exported import CoreGraphics
@_exported import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

extension View {
    public nonisolated func allowsHitTesting(_ enabled: Bool) -> some View { EmptyView() }
    public nonisolated func overlay<V: View>(@ViewBuilder content: () -> V) -> some View { EmptyView() }
}

@MainActor @preconcurrency public struct EmptyView: View {
    public nonisolated init() {}
    public var body: Never { fatalError() }
}

public struct Color: Sendable, Hashable {
    public static let yellow = Color()
}

public struct Font: Sendable, Hashable {
    public static let caption = Font()
}

public struct Text: Sendable {
    public init<S: StringProtocol>(_ content: S) {}
    public func font(_ font: Font?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }
}

public struct UnitPoint: Sendable, Hashable {
    public static let bottomLeading = UnitPoint()
}

public struct Path: Sendable {
    public init(_ rect: CGRect) {}
}

public struct GraphicsContext {
    public struct Shading: Sendable {
        public static func color(_ color: Color) -> Shading { Shading() }
    }
    public func stroke(_ path: Path, with shading: Shading, lineWidth: CGFloat = 1) {}
    public func draw(_ text: Text, at point: CGPoint, anchor: UnitPoint = .bottomLeading) {}
}

@MainActor @preconcurrency public struct Canvas: View {
    public init(renderer: @escaping (inout GraphicsContext, CGSize) -> Void) {}
    public var body: Never { fatalError() }
}
