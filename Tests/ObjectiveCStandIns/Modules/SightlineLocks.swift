// swift-format-ignore-file
public struct Mutex<Value>: @unchecked Sendable {
    public init(_ initialValue: Value) {}
    public func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        fatalError()
    }
}
