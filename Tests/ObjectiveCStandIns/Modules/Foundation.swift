// swift-format-ignore-file
// The part of Foundation's Swift side that the names of ML Kit and Firebase use, and the bridges to Objective-C; nothing works.
@_exported import CoreFoundation
@_exported import Foundation

public protocol StandInBridge: _ObjectiveCBridgeable {}

extension StandInBridge {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { fatalError() }
}

extension String: StandInBridge { public typealias _ObjectiveCType = NSString }
extension Array: StandInBridge { public typealias _ObjectiveCType = NSArray }
extension Dictionary: StandInBridge { public typealias _ObjectiveCType = NSDictionary }
extension Bool: StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension Int: StandInBridge { public typealias _ObjectiveCType = NSNumber }
extension Float: StandInBridge { public typealias _ObjectiveCType = NSNumber }

public struct Data: StandInBridge, Sendable {
    public typealias _ObjectiveCType = NSData
    public init() {}
    public mutating func append<Bytes: Sequence>(contentsOf bytes: Bytes) where Bytes.Element == UInt8 {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result { fatalError() }
}
public struct URL: StandInBridge, Sendable, Hashable {
    public typealias _ObjectiveCType = NSURL
    public init(filePath path: String) {}
    public var path: String { "" }
}
public struct Notification {
    public typealias Name = NSNotification.Name
}

extension NSNumber {
    public convenience init(value: Int) { fatalError() }
    public convenience init(value: Float) { fatalError() }
    public convenience init(value: Double) { fatalError() }
    public convenience init(value: Int32) { fatalError() }
    public convenience init(value: UInt8) { fatalError() }
    public convenience init(value: Int64) { fatalError() }
    public var doubleValue: Double { 0 }
    public var int64Value: Int64 { 0 }
}
extension NotificationCenter {
    public class var `default`: NotificationCenter { fatalError() }
    public func post(name: NSNotification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) {}
}

public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
extension NSError: Error {}

extension NSNotification.Name {
    public init(_ text: String) { fatalError() }
}
