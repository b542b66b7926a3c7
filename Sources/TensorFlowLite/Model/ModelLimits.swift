/// How much memory a model may ask for before it is refused.
public struct ModelLimits: Sendable, Hashable {
    /// The most bytes that one tensor may take. 512 MiB unless told otherwise.
    public var maximumTensorBytes: Int
    /// The most bytes that all tensors needed at the same time may take together, without the weights in the file. 1 GiB
    /// unless told otherwise.
    public var maximumTotalBytes: Int

    /// Creates limits.
    public init(maximumTensorBytes: Int = 512 << 20, maximumTotalBytes: Int = 1 << 30) {
        self.maximumTensorBytes = maximumTensorBytes
        self.maximumTotalBytes = maximumTotalBytes
    }

    /// 512 MiB a tensor, 1 GiB at a time: far above what detectors and classifiers need.
    public static let standard = ModelLimits()
}
