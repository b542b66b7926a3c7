// swift-format-ignore-file
// The part of Network that the package uses, as Apple documents it; nothing of it works.
@_exported import Dispatch

public struct NWPath: Sendable {
    public var isExpensive: Bool { false }
    public var isConstrained: Bool { false }
}

public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
