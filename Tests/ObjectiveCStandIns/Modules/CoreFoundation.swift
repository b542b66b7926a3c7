// swift-format-ignore-file
// The type that Objective-C calls CGFloat too.
@frozen public struct CGFloat: Sendable {
    public var native: Double
    public init(_ value: Int) { native = 0 }
    public init(_ value: Double) { native = value }
}
extension CGFloat: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int) { native = 0 }
    public init(floatLiteral value: Double) { native = value }
}
extension Double {
    public init(_ value: CGFloat) { self = value.native }
}
