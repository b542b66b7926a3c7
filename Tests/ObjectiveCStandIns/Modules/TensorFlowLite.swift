// swift-format-ignore-file
public struct Tensor: Sendable {
    public enum DataType: Sendable { case float32, int32, uInt8, int64 }
}
