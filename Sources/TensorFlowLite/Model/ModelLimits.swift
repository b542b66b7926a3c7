/// Limits on the memory that a model may need.
public struct ModelLimits: Sendable, Hashable {
    /// The maximum size of a tensor in bytes. The default is 512 MiB.
    public var maximumTensorBytes: Int
    /// The maximum size in bytes of all tensors that exist at the same time, without the weights in the file. The
    /// default is 1 GiB.
    public var maximumTotalBytes: Int

    /// Creates limits.
    public init(maximumTensorBytes: Int = 512 << 20, maximumTotalBytes: Int = 1 << 30) {
        self.maximumTensorBytes = maximumTensorBytes
        self.maximumTotalBytes = maximumTotalBytes
    }

    /// 512 MiB per tensor, 1 GiB in total: far above the needs of detectors and classifiers.
    public static let standard = ModelLimits()
}
