// swift-format-ignore-file
// The type that Objective-C calls CGFloat too.
@frozen public struct CGFloat: Sendable {
    public var native: Double
    public init(_ value: Int) { native = 0 }
}
