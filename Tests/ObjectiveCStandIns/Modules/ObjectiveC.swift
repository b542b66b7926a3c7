// swift-format-ignore-file
// The Swift side of Apple's module, as far as Swift's compiler needs it; nothing works.
@_exported import ObjectiveC

@frozen public struct ObjCBool: ExpressibleByBooleanLiteral {
    @usableFromInline var value: Int8
    public init(booleanLiteral value: Bool) { self.value = 0 }
    public init(_ value: Bool) { self.value = 0 }
    public var boolValue: Bool { false }
}

public func _convertBoolToObjCBool(_ value: Bool) -> ObjCBool { ObjCBool(value) }
public func _convertObjCBoolToBool(_ value: ObjCBool) -> Bool { value.boolValue }

@frozen public struct NSZone {
    @usableFromInline let pointer: OpaquePointer
}
